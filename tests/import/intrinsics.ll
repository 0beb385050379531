; Intrinsics that no C source says alone. Each check ends the program with its number.
@v_f64 = internal global double 0.0
@v_f32 = internal global float 0.0
@v_f80 = internal global x86_fp80 zeroinitializer
@v_i32 = internal global i32 0
@v_idx = internal global i32 3
@two = internal global double 2.0
@vec = internal global <4 x i32> <i32 5, i32 6, i32 -7, i32 11>, align 16
@odd = internal global <5 x i3> <i3 1, i3 2, i3 3, i3 -1, i3 -3>
@odd2 = internal global <5 x i3> zeroinitializer

declare void @exit(i32) noreturn
declare <4 x i32> @llvm.fshl.v4i32(<4 x i32>, <4 x i32>, <4 x i32>)
declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)
declare double @llvm.fmuladd.f64(double, double, double)
declare double @llvm.maximum.f64(double, double)
declare double @llvm.minimum.f64(double, double)
declare double @llvm.pow.f64(double, double)
declare float @llvm.exp2.f32(float)
declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)
declare i1 @llvm.experimental.constrained.fcmp.f64(double, double, metadata, metadata)
declare i1 @llvm.is.fpclass.f32(float, i32)
declare i1 @llvm.is.fpclass.f80(x86_fp80, i32)
declare i128 @llvm.fptoui.sat.i128.f32(float)
declare i2 @llvm.scmp.i2.i32(i32, i32)
declare i2 @llvm.ucmp.i2.i32(i32, i32)
declare i32 @llvm.experimental.constrained.fptosi.i32.f64(double, metadata)
declare i32 @llvm.fptosi.sat.i32.f64(double)
declare i32 @llvm.vector.reduce.umax.v4i32(<4 x i32>)
declare i64 @llvm.fptosi.sat.i64.f80(x86_fp80)
declare i8 @llvm.fptosi.sat.i8.f32(float)
declare i8 @llvm.fptoui.sat.i8.f32(float)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare {<2 x i32>, <2 x i1>} @llvm.smul.with.overflow.v2i32(<2 x i32>, <2 x i32>)

define internal void @check(i1 %ok, i32 %number) noinline {
  br i1 %ok, label %fine, label %bad
bad:
  call void @exit(i32 %number)
  unreachable
fine:
  ret void
}

define i32 @main() {
  store volatile double 3.99, ptr @v_f64
  %x1 = load volatile double, ptr @v_f64
  %r1 = call i32 @llvm.fptosi.sat.i32.f64(double %x1)
  %c1 = icmp eq i32 %r1, 3
  call void @check(i1 %c1, i32 1)
  store volatile double -3.99, ptr @v_f64
  %x2 = load volatile double, ptr @v_f64
  %r2 = call i32 @llvm.fptosi.sat.i32.f64(double %x2)
  %c2 = icmp eq i32 %r2, -3
  call void @check(i1 %c2, i32 2)
  store volatile double 3.0e9, ptr @v_f64
  %x3 = load volatile double, ptr @v_f64
  %r3 = call i32 @llvm.fptosi.sat.i32.f64(double %x3)
  %c3 = icmp eq i32 %r3, 2147483647
  call void @check(i1 %c3, i32 3)
  store volatile double -3.0e9, ptr @v_f64
  %x4 = load volatile double, ptr @v_f64
  %r4 = call i32 @llvm.fptosi.sat.i32.f64(double %x4)
  %c4 = icmp eq i32 %r4, -2147483648
  call void @check(i1 %c4, i32 4)
  store volatile double 0x7FF8000000000000, ptr @v_f64
  %x5 = load volatile double, ptr @v_f64
  %r5 = call i32 @llvm.fptosi.sat.i32.f64(double %x5)
  %c5 = icmp eq i32 %r5, 0
  call void @check(i1 %c5, i32 5)
  store volatile double 0x7FF0000000000000, ptr @v_f64
  %x6 = load volatile double, ptr @v_f64
  %r6 = call i32 @llvm.fptosi.sat.i32.f64(double %x6)
  %c6 = icmp eq i32 %r6, 2147483647
  call void @check(i1 %c6, i32 6)
  store volatile double 0xFFF0000000000000, ptr @v_f64
  %x7 = load volatile double, ptr @v_f64
  %r7 = call i32 @llvm.fptosi.sat.i32.f64(double %x7)
  %c7 = icmp eq i32 %r7, -2147483648
  call void @check(i1 %c7, i32 7)
  store volatile float 255.5, ptr @v_f32
  %x8 = load volatile float, ptr @v_f32
  %r8 = call i8 @llvm.fptoui.sat.i8.f32(float %x8)
  %c8 = icmp eq i8 %r8, -1
  call void @check(i1 %c8, i32 8)
  store volatile float 256.0, ptr @v_f32
  %x9 = load volatile float, ptr @v_f32
  %r9 = call i8 @llvm.fptoui.sat.i8.f32(float %x9)
  %c9 = icmp eq i8 %r9, -1
  call void @check(i1 %c9, i32 9)
  store volatile float -1.0, ptr @v_f32
  %x10 = load volatile float, ptr @v_f32
  %r10 = call i8 @llvm.fptoui.sat.i8.f32(float %x10)
  %c10 = icmp eq i8 %r10, 0
  call void @check(i1 %c10, i32 10)
  store volatile float 77.0, ptr @v_f32
  %x11 = load volatile float, ptr @v_f32
  %r11 = call i8 @llvm.fptoui.sat.i8.f32(float %x11)
  %c11 = icmp eq i8 %r11, 77
  call void @check(i1 %c11, i32 11)
  store volatile float 0x7FF8000000000000, ptr @v_f32
  %x12 = load volatile float, ptr @v_f32
  %r12 = call i8 @llvm.fptoui.sat.i8.f32(float %x12)
  %c12 = icmp eq i8 %r12, 0
  call void @check(i1 %c12, i32 12)
  store volatile float -128.5, ptr @v_f32
  %x13 = load volatile float, ptr @v_f32
  %r13 = call i8 @llvm.fptosi.sat.i8.f32(float %x13)
  %c13 = icmp eq i8 %r13, -128
  call void @check(i1 %c13, i32 13)
  store volatile float -129.0, ptr @v_f32
  %x14 = load volatile float, ptr @v_f32
  %r14 = call i8 @llvm.fptosi.sat.i8.f32(float %x14)
  %c14 = icmp eq i8 %r14, -128
  call void @check(i1 %c14, i32 14)
  store volatile float 127.5, ptr @v_f32
  %x15 = load volatile float, ptr @v_f32
  %r15 = call i8 @llvm.fptosi.sat.i8.f32(float %x15)
  %c15 = icmp eq i8 %r15, 127
  call void @check(i1 %c15, i32 15)
  store volatile float 200.0, ptr @v_f32
  %x16 = load volatile float, ptr @v_f32
  %r16 = call i8 @llvm.fptosi.sat.i8.f32(float %x16)
  %c16 = icmp eq i8 %r16, 127
  call void @check(i1 %c16, i32 16)
  store volatile x86_fp80 0xK4003A000000000000000, ptr @v_f80
  %x17 = load volatile x86_fp80, ptr @v_f80
  %r17 = call i64 @llvm.fptosi.sat.i64.f80(x86_fp80 %x17)
  %c17 = icmp eq i64 %r17, 20
  call void @check(i1 %c17, i32 17)
  store volatile x86_fp80 0xK403E8000000000000000, ptr @v_f80
  %x18 = load volatile x86_fp80, ptr @v_f80
  %r18 = call i64 @llvm.fptosi.sat.i64.f80(x86_fp80 %x18)
  %c18 = icmp eq i64 %r18, 9223372036854775807
  call void @check(i1 %c18, i32 18)
  store volatile x86_fp80 0xKC03F8000000000000000, ptr @v_f80
  %x19 = load volatile x86_fp80, ptr @v_f80
  %r19 = call i64 @llvm.fptosi.sat.i64.f80(x86_fp80 %x19)
  %c19 = icmp eq i64 %r19, -9223372036854775808
  call void @check(i1 %c19, i32 19)
  store volatile float 0x47D0000000000000, ptr @v_f32
  %x20 = load volatile float, ptr @v_f32
  %r20 = call i128 @llvm.fptoui.sat.i128.f32(float %x20)
  %c20 = icmp eq i128 %r20, 85070591730234615865843651857942052864
  call void @check(i1 %c20, i32 20)
  store volatile float -5.0, ptr @v_f32
  %x21 = load volatile float, ptr @v_f32
  %r21 = call i128 @llvm.fptoui.sat.i128.f32(float %x21)
  %c21 = icmp eq i128 %r21, 0
  call void @check(i1 %c21, i32 21)
  store volatile double 1.0, ptr @v_f64
  %x22 = load volatile double, ptr @v_f64
  store volatile double 2.0, ptr @v_f64
  %y22 = load volatile double, ptr @v_f64
  %m22 = call double @llvm.minimum.f64(double %x22, double %y22)
  %r22 = bitcast double %m22 to i64
  %c22 = icmp eq i64 %r22, 4607182418800017408
  call void @check(i1 %c22, i32 22)
  store volatile double 0.0, ptr @v_f64
  %x23 = load volatile double, ptr @v_f64
  store volatile double -0.0, ptr @v_f64
  %y23 = load volatile double, ptr @v_f64
  %m23 = call double @llvm.minimum.f64(double %x23, double %y23)
  %r23 = bitcast double %m23 to i64
  %c23 = icmp eq i64 %r23, -9223372036854775808
  call void @check(i1 %c23, i32 23)
  store volatile double -0.0, ptr @v_f64
  %x24 = load volatile double, ptr @v_f64
  store volatile double 0.0, ptr @v_f64
  %y24 = load volatile double, ptr @v_f64
  %m24 = call double @llvm.minimum.f64(double %x24, double %y24)
  %r24 = bitcast double %m24 to i64
  %c24 = icmp eq i64 %r24, -9223372036854775808
  call void @check(i1 %c24, i32 24)
  store volatile double -3.0, ptr @v_f64
  %x25 = load volatile double, ptr @v_f64
  store volatile double 2.0, ptr @v_f64
  %y25 = load volatile double, ptr @v_f64
  %m25 = call double @llvm.minimum.f64(double %x25, double %y25)
  %r25 = bitcast double %m25 to i64
  %c25 = icmp eq i64 %r25, -4609434218613702656
  call void @check(i1 %c25, i32 25)
  store volatile double 0x7FF8000000000000, ptr @v_f64
  %x26 = load volatile double, ptr @v_f64
  %m26 = call double @llvm.minimum.f64(double %x26, double 1.0)
  %c26 = fcmp uno double %m26, %m26
  call void @check(i1 %c26, i32 26)
  store volatile double 1.0, ptr @v_f64
  %x27 = load volatile double, ptr @v_f64
  store volatile double 2.0, ptr @v_f64
  %y27 = load volatile double, ptr @v_f64
  %m27 = call double @llvm.maximum.f64(double %x27, double %y27)
  %r27 = bitcast double %m27 to i64
  %c27 = icmp eq i64 %r27, 4611686018427387904
  call void @check(i1 %c27, i32 27)
  store volatile double -0.0, ptr @v_f64
  %x28 = load volatile double, ptr @v_f64
  store volatile double 0.0, ptr @v_f64
  %y28 = load volatile double, ptr @v_f64
  %m28 = call double @llvm.maximum.f64(double %x28, double %y28)
  %r28 = bitcast double %m28 to i64
  %c28 = icmp eq i64 %r28, 0
  call void @check(i1 %c28, i32 28)
  store volatile double 0.0, ptr @v_f64
  %x29 = load volatile double, ptr @v_f64
  store volatile double -0.0, ptr @v_f64
  %y29 = load volatile double, ptr @v_f64
  %m29 = call double @llvm.maximum.f64(double %x29, double %y29)
  %r29 = bitcast double %m29 to i64
  %c29 = icmp eq i64 %r29, 0
  call void @check(i1 %c29, i32 29)
  store volatile double 0x7FF8000000000000, ptr @v_f64
  %x30 = load volatile double, ptr @v_f64
  %m30 = call double @llvm.maximum.f64(double %x30, double 1.0)
  %c30 = fcmp uno double %m30, %m30
  call void @check(i1 %c30, i32 30)
  store volatile i32 -5, ptr @v_i32
  %x31 = load volatile i32, ptr @v_i32
  %r31 = call i2 @llvm.scmp.i2.i32(i32 %x31, i32 3)
  %c31 = icmp eq i2 %r31, -1
  call void @check(i1 %c31, i32 31)
  store volatile i32 3, ptr @v_i32
  %x32 = load volatile i32, ptr @v_i32
  %r32 = call i2 @llvm.scmp.i2.i32(i32 %x32, i32 3)
  %c32 = icmp eq i2 %r32, 0
  call void @check(i1 %c32, i32 32)
  store volatile i32 -5, ptr @v_i32
  %x33 = load volatile i32, ptr @v_i32
  %r33 = call i2 @llvm.ucmp.i2.i32(i32 %x33, i32 3)
  %c33 = icmp eq i2 %r33, 1
  call void @check(i1 %c33, i32 33)
  store volatile i32 7, ptr @v_i32
  %x34 = load volatile i32, ptr @v_i32
  %r34 = call i2 @llvm.scmp.i2.i32(i32 %x34, i32 3)
  %c34 = icmp eq i2 %r34, 1
  call void @check(i1 %c34, i32 34)
  store volatile i32 3, ptr @v_i32
  %x35 = load volatile i32, ptr @v_i32
  %r35 = call i2 @llvm.ucmp.i2.i32(i32 %x35, i32 4)
  %c35 = icmp eq i2 %r35, -1
  call void @check(i1 %c35, i32 35)
  store volatile x86_fp80 0xK7FFF8000000000000000, ptr @v_f80
  %x36 = load volatile x86_fp80, ptr @v_f80
  %r36 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x36, i32 512)
  %c36 = icmp eq i1 %r36, true
  call void @check(i1 %c36, i32 36)
  store volatile x86_fp80 0xK7FFF8000000000000000, ptr @v_f80
  %x37 = load volatile x86_fp80, ptr @v_f80
  %r37 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x37, i32 511)
  %c37 = icmp eq i1 %r37, false
  call void @check(i1 %c37, i32 37)
  store volatile x86_fp80 0xKFFFF8000000000000000, ptr @v_f80
  %x38 = load volatile x86_fp80, ptr @v_f80
  %r38 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x38, i32 4)
  %c38 = icmp eq i1 %r38, true
  call void @check(i1 %c38, i32 38)
  store volatile x86_fp80 0xKFFFF8000000000000000, ptr @v_f80
  %x39 = load volatile x86_fp80, ptr @v_f80
  %r39 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x39, i32 1019)
  %c39 = icmp eq i1 %r39, false
  call void @check(i1 %c39, i32 39)
  store volatile x86_fp80 0xK7FFFC000000000000000, ptr @v_f80
  %x40 = load volatile x86_fp80, ptr @v_f80
  %r40 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x40, i32 2)
  %c40 = icmp eq i1 %r40, true
  call void @check(i1 %c40, i32 40)
  store volatile x86_fp80 0xK7FFFC000000000000000, ptr @v_f80
  %x41 = load volatile x86_fp80, ptr @v_f80
  %r41 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x41, i32 1021)
  %c41 = icmp eq i1 %r41, false
  call void @check(i1 %c41, i32 41)
  store volatile x86_fp80 0xK7FFFA000000000000000, ptr @v_f80
  %x42 = load volatile x86_fp80, ptr @v_f80
  %r42 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x42, i32 1)
  %c42 = icmp eq i1 %r42, true
  call void @check(i1 %c42, i32 42)
  store volatile x86_fp80 0xK7FFFA000000000000000, ptr @v_f80
  %x43 = load volatile x86_fp80, ptr @v_f80
  %r43 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x43, i32 1022)
  %c43 = icmp eq i1 %r43, false
  call void @check(i1 %c43, i32 43)
  store volatile x86_fp80 0xK3FFF8000000000000000, ptr @v_f80
  %x44 = load volatile x86_fp80, ptr @v_f80
  %r44 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x44, i32 256)
  %c44 = icmp eq i1 %r44, true
  call void @check(i1 %c44, i32 44)
  store volatile x86_fp80 0xK3FFF8000000000000000, ptr @v_f80
  %x45 = load volatile x86_fp80, ptr @v_f80
  %r45 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x45, i32 767)
  %c45 = icmp eq i1 %r45, false
  call void @check(i1 %c45, i32 45)
  store volatile x86_fp80 0xKBFFF8000000000000000, ptr @v_f80
  %x46 = load volatile x86_fp80, ptr @v_f80
  %r46 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x46, i32 8)
  %c46 = icmp eq i1 %r46, true
  call void @check(i1 %c46, i32 46)
  store volatile x86_fp80 0xKBFFF8000000000000000, ptr @v_f80
  %x47 = load volatile x86_fp80, ptr @v_f80
  %r47 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x47, i32 1015)
  %c47 = icmp eq i1 %r47, false
  call void @check(i1 %c47, i32 47)
  store volatile x86_fp80 0xK00000000000000000001, ptr @v_f80
  %x48 = load volatile x86_fp80, ptr @v_f80
  %r48 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x48, i32 128)
  %c48 = icmp eq i1 %r48, true
  call void @check(i1 %c48, i32 48)
  store volatile x86_fp80 0xK00000000000000000001, ptr @v_f80
  %x49 = load volatile x86_fp80, ptr @v_f80
  %r49 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x49, i32 895)
  %c49 = icmp eq i1 %r49, false
  call void @check(i1 %c49, i32 49)
  store volatile x86_fp80 0xK80000000000000000000, ptr @v_f80
  %x50 = load volatile x86_fp80, ptr @v_f80
  %r50 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x50, i32 32)
  %c50 = icmp eq i1 %r50, true
  call void @check(i1 %c50, i32 50)
  store volatile x86_fp80 0xK80000000000000000000, ptr @v_f80
  %x51 = load volatile x86_fp80, ptr @v_f80
  %r51 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x51, i32 991)
  %c51 = icmp eq i1 %r51, false
  call void @check(i1 %c51, i32 51)
  store volatile x86_fp80 0xK00000000000000000000, ptr @v_f80
  %x52 = load volatile x86_fp80, ptr @v_f80
  %r52 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x52, i32 64)
  %c52 = icmp eq i1 %r52, true
  call void @check(i1 %c52, i32 52)
  store volatile x86_fp80 0xK00000000000000000000, ptr @v_f80
  %x53 = load volatile x86_fp80, ptr @v_f80
  %r53 = call i1 @llvm.is.fpclass.f80(x86_fp80 %x53, i32 959)
  %c53 = icmp eq i1 %r53, false
  call void @check(i1 %c53, i32 53)
  store volatile float 0x36A0000000000000, ptr @v_f32
  %x54 = load volatile float, ptr @v_f32
  %r54 = call i1 @llvm.is.fpclass.f32(float %x54, i32 128)
  %c54 = icmp eq i1 %r54, true
  call void @check(i1 %c54, i32 54)
  store volatile float 0x36A0000000000000, ptr @v_f32
  %x55 = load volatile float, ptr @v_f32
  %r55 = call i1 @llvm.is.fpclass.f32(float %x55, i32 895)
  %c55 = icmp eq i1 %r55, false
  call void @check(i1 %c55, i32 55)
  store volatile float 0xB810000000000000, ptr @v_f32
  %x56 = load volatile float, ptr @v_f32
  %r56 = call i1 @llvm.is.fpclass.f32(float %x56, i32 8)
  %c56 = icmp eq i1 %r56, true
  call void @check(i1 %c56, i32 56)
  store volatile float 0xB810000000000000, ptr @v_f32
  %x57 = load volatile float, ptr @v_f32
  %r57 = call i1 @llvm.is.fpclass.f32(float %x57, i32 1015)
  %c57 = icmp eq i1 %r57, false
  call void @check(i1 %c57, i32 57)
  store volatile float 0x7FF4000000000000, ptr @v_f32
  %x58 = load volatile float, ptr @v_f32
  %r58 = call i1 @llvm.is.fpclass.f32(float %x58, i32 1)
  %c58 = icmp eq i1 %r58, true
  call void @check(i1 %c58, i32 58)
  store volatile float 0x7FF4000000000000, ptr @v_f32
  %x59 = load volatile float, ptr @v_f32
  %r59 = call i1 @llvm.is.fpclass.f32(float %x59, i32 1022)
  %c59 = icmp eq i1 %r59, false
  call void @check(i1 %c59, i32 59)
  store volatile float 0xFFF0000000000000, ptr @v_f32
  %x60 = load volatile float, ptr @v_f32
  %r60 = call i1 @llvm.is.fpclass.f32(float %x60, i32 4)
  %c60 = icmp eq i1 %r60, true
  call void @check(i1 %c60, i32 60)
  store volatile float 0xFFF0000000000000, ptr @v_f32
  %x61 = load volatile float, ptr @v_f32
  %r61 = call i1 @llvm.is.fpclass.f32(float %x61, i32 1019)
  %c61 = icmp eq i1 %r61, false
  call void @check(i1 %c61, i32 61)
  %x62 = call double @llvm.experimental.constrained.fadd.f64(double 1.5, double 2.0, metadata !"round.tonearest", metadata !"fpexcept.strict") strictfp
  %r62 = call i32 @llvm.experimental.constrained.fptosi.i32.f64(double %x62, metadata !"fpexcept.strict") strictfp
  %c62 = icmp eq i32 %r62, 3
  call void @check(i1 %c62, i32 62)
  %r63 = call i1 @llvm.experimental.constrained.fcmp.f64(double 1.5, double 2.0, metadata !"olt", metadata !"fpexcept.strict") strictfp
  %c63 = icmp eq i1 %r63, true
  call void @check(i1 %c63, i32 63)
  %r64 = call i1 @llvm.experimental.constrained.fcmp.f64(double 1.5, double 0x7FF8000000000000, metadata !"uge", metadata !"fpexcept.strict") strictfp
  %c64 = icmp eq i1 %r64, true
  call void @check(i1 %c64, i32 64)
  %r65 = call float @llvm.vector.reduce.fadd.v4f32(float 1.0, <4 x float> <float 2.0, float 3.0, float 4.0, float 0.5>)
  %c65 = fcmp oeq float %r65, 10.5
  call void @check(i1 %c65, i32 65)
  %v66 = load volatile <4 x i32>, ptr @vec
  %r66 = call i32 @llvm.vector.reduce.umax.v4i32(<4 x i32> %v66)
  %c66 = icmp eq i32 %r66, -7
  call void @check(i1 %c66, i32 66)
  %v67 = load volatile <4 x i32>, ptr @vec
  %w67 = call <4 x i32> @llvm.fshl.v4i32(<4 x i32> %v67, <4 x i32> %v67, <4 x i32> <i32 1, i32 2, i32 3, i32 4>)
  %r67 = extractelement <4 x i32> %w67, i32 2
  %c67 = icmp eq i32 %r67, -49
  call void @check(i1 %c67, i32 67)
  %v68 = load volatile <2 x i32>, ptr @vec
  %w68 = call {<2 x i32>, <2 x i1>} @llvm.smul.with.overflow.v2i32(<2 x i32> %v68, <2 x i32> <i32 2147483647, i32 3>)
  %o68 = extractvalue {<2 x i32>, <2 x i1>} %w68, 1
  %r68 = bitcast <2 x i1> %o68 to i2
  %c68 = icmp eq i2 %r68, 1
  call void @check(i1 %c68, i32 68)
  %p69 = getelementptr i8, ptr @vec, i64 7
  %q69 = call ptr @llvm.ptrmask.p0.i64(ptr %p69, i64 -16)
  %l69 = load i32, ptr %q69
  %c69 = icmp eq i32 %l69, 5
  call void @check(i1 %c69, i32 69)
  %i70 = load volatile i32, ptr @v_idx
  %v70 = load volatile <4 x i32>, ptr @vec
  %e70 = extractelement <4 x i32> %v70, i32 %i70
  %w70 = insertelement <4 x i32> %v70, i32 99, i32 %i70
  %f70 = extractelement <4 x i32> %w70, i32 3
  %r70 = add i32 %e70, %f70
  %c70 = icmp eq i32 %r70, 110
  call void @check(i1 %c70, i32 70)
  %v71 = load volatile <5 x i3>, ptr @odd
  %r71 = bitcast <5 x i3> %v71 to i15
  %c71 = icmp eq i15 %r71, -8495
  call void @check(i1 %c71, i32 71)
  %v72 = load volatile <5 x i3>, ptr @odd
  %w72 = shufflevector <5 x i3> %v72, <5 x i3> poison, <5 x i32> <i32 4, i32 3, i32 2, i32 1, i32 0>
  store volatile <5 x i3> %w72, ptr @odd2
  %r72 = load i16, ptr @odd2
  %s72 = and i16 %r72, 32767
  %c72 = icmp eq i16 %s72, 5373
  call void @check(i1 %c72, i32 72)
  %v73 = load volatile <3 x i24>, ptr @vec
  %w73 = bitcast <3 x i24> %v73 to <9 x i8>
  %r73 = extractelement <9 x i8> %w73, i32 4
  %c73 = icmp eq i8 %r73, 6
  call void @check(i1 %c73, i32 73)
  %x74 = load volatile double, ptr @two
  %r74 = call double @llvm.pow.f64(double %x74, double 10.0)
  %c74 = fcmp oeq double %r74, 1024.0
  call void @check(i1 %c74, i32 74)
  %r75 = call float @llvm.exp2.f32(float 5.0)
  %c75 = fcmp oeq float %r75, 32.0
  call void @check(i1 %c75, i32 75)
  %x76 = load volatile double, ptr @two
  %r76 = call double @llvm.fmuladd.f64(double %x76, double 3.0, double 1.0)
  %c76 = fcmp oeq double %r76, 7.0
  call void @check(i1 %c76, i32 76)
  ret i32 0
}
