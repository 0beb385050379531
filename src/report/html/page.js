"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const list = document.getElementById("list"), main = document.getElementById("finding");
  const COLORS = 8, AHEAD = 12;

  /* A string of a finding; bytes that are not UTF-8 come as hexadecimal digits. */
  const str = v => v === null || v === undefined ? "" : typeof v === "object" ? (v.hex || "").replace(/../g, h => {
    const c = parseInt(h, 16);
    return c > 31 && c < 127 ? String.fromCharCode(c) : "\ufffd";
  }) : String(v);
  const base = path => str(path).replace(/^.*\//, "");
  const place = p => p && p.file ? base(p.file) + (p.line ? ":" + p.line : "") : "";

  /* An element; strings become text, never markup. */
  const make = (tag, cls, ...inside) => {
    const e = document.createElement(tag);
    if (cls) e.className = cls;
    e.append(...inside.filter(x => x !== null && x !== undefined && x !== ""));
    return e;
  };
  const press = (cls, act, ...inside) => {
    const b = make("button", cls, ...inside);
    b.type = "button";
    b.addEventListener("click", act);
    return b;
  };
  const svg = (tag, attributes) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    return e;
  };
  const color = thread => "t" + thread % COLORS;
  const who = thread => make("span", "who " + color(thread), "T" + thread);
  const threadName = (f, t) => !t ? "main thread" : "thread " + t + (str((f.threads[t] || {}).name) ? " '" + str(f.threads[t].name) + "'" : "");
  const capital = s => s.charAt(0).toUpperCase() + s.slice(1);

  let current = -1, view = null;

  /* ---- the list of findings ---- */

  const listItem = (i, cause) => {
    const e = data.findings[i], f = e.finding;
    const b = press("", () => show(i, true), make("span", "name", str(f.name) || "–"), make("span", "title", str(f.title)),
      make("span", "where", [e.place, str(f.status)].filter(Boolean).join(" · ")));
    b.dataset.finding = i;
    return make("li", cause ? "cause" : "", b);
  };

  const drawList = () => {
    const done = new Set();
    let harm = null, group = null;
    data.findings.forEach((e, i) => {
      if (e.leads_to.length) return; /* it is shown below what it leads to */
      if (e.harm !== harm) {
        harm = e.harm;
        group = make("ul");
        list.append(make("h2", "", capital(harm)), group);
      }
      group.append(listItem(i, false));
      for (const c of e.caused_by) if (!done.has(c)) {
        done.add(c);
        group.append(listItem(c, true));
      }
    });
    if (data.gaps && data.gaps.length)
      list.append(make("div", "gaps", make("b", "", "Not examined"), make("ul", "", ...data.gaps.map(g => make("li", "", g)))));
    list.hidden = !list.childNodes.length;
  };

  /* ---- one finding ---- */

  const links = (label, indices) => indices.length ? make("p", "related", label + " ", ...indices.flatMap((i, n) =>
    [n ? ", " : "", press("link", () => show(i, true), str(data.findings[i].finding.name) + " " + str(data.findings[i].finding.title))])) : null;

  const noteBlock = n => make("div", "", n.head === "location" || n.head === "what happens" ? null : make("h2", "", capital(str(n.head))),
    make("p", /^ /m.test(str(n.text)) ? "pre" : "", str(n.text).trimEnd()));

  const first = ["what happens", "why the recorded run passed", "which writes decide it"];
  const isFirst = n => first.includes(n.head);

  const flipBlock = f => f.kind === "branch" && f.flip ? make("div", "", make("h2", "", "The decision"),
    make("p", "", "Recorded: " + str(f.flip.recorded) + "\nFlipped: " + str(f.flip.flipped) + (str(f.flip.why) ? "\n" + capital(str(f.flip.why)) + "." : ""))) : null;

  const keyBlock = f => {
    const keys = f.steps.map((s, i) => [s, i]).filter(([s]) => s.key);
    return keys.length ? make("div", "", make("h2", "", "The events that make it"), make("ul", "", ...keys.map(([s, i]) =>
      make("li", "", who(s.thread), make("span", "", press("link plain", () => view.reveal(i), str(s.what)), make("span", "muted", place(s.place) ? "  " + place(s.place) : "")))))) : null;
  };

  const command = text => make("code", "cmd", text);

  const drawFinding = i => {
    const e = data.findings[i], f = e.finding, name = str(f.name);
    const more = make("div", "more", ...f.notes.filter(n => !isFirst(n)).map(noteBlock));
    if (str(f.outcome)) more.append(make("div", "", make("h2", "", "In the replay"), make("p", "", capital(str(f.outcome)) + ".")));
    if (str(f.divergence)) more.append(make("div", "", make("h2", "", "Replay"), make("p", "", capital(str(f.divergence)) + ".")));
    if (name) more.append(make("div", "", make("h2", "", "To see it again, to step through it, and after a fix"),
      command("heddle replay " + name), command("heddle replay " + name + " --gdb"), command("heddle verify " + name)));
    if (f.argv && f.argv.length) more.append(make("div", "", make("h2", "", "The recorded run"), command(f.argv.map(str).join(" "))));
    main.replaceChildren(
      make("h1", "", capital(str(f.title))),
      make("div", "meta", make("span", "mono", name), make("span", "tag " + (e.seen ? "seen" : "open"), e.status), make("span", "tag", e.harm),
        str(f.summary) ? make("span", "mono", str(f.summary).replace(/^.*\/(?=[^/]*:\d)/, "")) : null),
      links("Also seen as:", e.leads_to) || "", links("Other signs of the same cause:", e.caused_by) || "",
      make("div", "words", flipBlock(f), keyBlock(f), ...f.notes.filter(isFirst).map(noteBlock)));
    view = f.steps.length ? new Schedule(f) : null;
    if (view) {
      view.column.append(more);
      main.append(view.bar, view.root);
      view.layout();
    } else main.append(more);
  };

  const show = (i, focus) => {
    if (i < 0 || i >= data.findings.length) return;
    current = i;
    for (const b of list.querySelectorAll("button")) b.setAttribute("aria-current", String(+b.dataset.finding === i));
    drawFinding(i);
    document.title = (str(data.findings[i].finding.name) + " " + str(data.findings[i].finding.title)).trim() + " – heddle";
    if (focus) {
      main.focus({ preventScroll: true });
      if (main.getBoundingClientRect().top < 0 || window.innerWidth <= 820) main.scrollIntoView();
    }
  };

  /* ---- the schedule: lanes with time downwards ---- */

  class Schedule {
    constructor(f) {
      this.f = f;
      this.hidden = new Set();
      this.data = "";
      this.minor = false;
      this.threads = [...new Set(f.steps.map(s => s.thread))].sort((a, b) => a - b);
      this.moved = this.findMoved();
      this.recorded = this.moved.size > 0 && window.innerWidth > 820;
      this.selected = -1;
      const files = new Set(f.steps.filter(s => s.place.file).map(s => str(s.place.file)));
      this.file = files.size === 1 ? base([...files][0]) : ""; /* rows then have only the line */
      this.bar = this.drawBar();
      this.heads = make("div", "heads");
      this.canvas = make("div", "canvas");
      this.view = make("div", "view", this.heads, this.canvas);
      this.view.tabIndex = 0;
      this.view.setAttribute("role", "listbox");
      this.view.setAttribute("aria-label", "Steps of the failing order");
      this.view.addEventListener("scroll", () => this.draw());
      this.state = make("div", "inspector");
      this.state.setAttribute("aria-live", "polite");
      this.column = make("div", "column", make("div", "frame", this.view));
      this.root = make("div", "schedule", this.column, this.state);
      this.filter();
    }

    /* Steps whose order relative to others differs from that of the recorded run: all but a longest
     * sequence that is in the same order in both. */
    findMoved() {
      const at = [], moved = new Set(), tails = [], back = [];
      this.f.steps.forEach((s, i) => s.recorded_at ? at.push(i) : 0);
      at.forEach(i => {
        const r = this.f.steps[i].recorded_at;
        let lo = 0, hi = tails.length;
        while (lo < hi) {
          const mid = lo + hi >> 1;
          if (this.f.steps[tails[mid]].recorded_at < r) lo = mid + 1; else hi = mid;
        }
        back[i] = lo ? tails[lo - 1] : -1;
        tails[lo] = i;
      });
      const keep = new Set();
      for (let i = tails.length ? tails[tails.length - 1] : -1; i >= 0; i = back[i]) keep.add(i);
      at.forEach(i => keep.has(i) ? 0 : moved.add(i));
      return moved;
    }

    drawBar() {
      const f = this.f, bar = make("div", "bar", make("h2", "", f.kind === "branch" ? "Another order" : "The failing order", this.file ? make("span", "muted", " in " + this.file) : null));
      const check = (label, on, act) => {
        const box = make("input");
        box.type = "checkbox";
        box.checked = on;
        box.addEventListener("change", () => act(box.checked));
        return make("label", "", box, label);
      };
      if (this.threads.length > 1) {
        const set = make("fieldset");
        set.setAttribute("aria-label", "Threads");
        for (const t of this.threads) {
          const label = check(who(t), !this.hidden.has(t), on => {
            if (on) this.hidden.delete(t); else this.hidden.add(t);
            this.filter();
            this.layout();
          });
          label.title = threadName(f, t);
          label.firstChild.setAttribute("aria-label", threadName(f, t));
          set.append(label);
        }
        bar.append(set);
      }
      const names = [...new Set(f.steps.map(s => str(s.data)).filter(Boolean))].sort();
      if (names.length > 1) {
        const select = make("select", "", make("option", "", "all data"), ...names.map(n => make("option", "", n)));
        select.setAttribute("aria-label", "Variable or lock");
        select.addEventListener("change", () => {
          this.data = select.selectedIndex ? select.value : "";
          this.filter();
          this.layout();
        });
        bar.append(select);
      }
      if (f.steps.some(s => s.minor)) bar.append(check("every step", this.minor, on => {
        this.minor = on;
        this.filter();
        this.layout();
      }));
      if (f.steps.some(s => s.recorded_at)) bar.append(check("recorded order", this.recorded, on => {
        this.recorded = on;
        this.layout();
      }));
      bar.append(make("span", "keys", make("kbd", "", "↑"), " ", make("kbd", "", "↓"), " step, ", make("kbd", "", "←"), " ", make("kbd", "", "→"),
        " same thread, ", make("kbd", "", "["), " ", make("kbd", "", "]"), " finding"));
      return bar;
    }

    filter() {
      const wanted = s => !this.hidden.has(s.thread) && (this.minor || !s.minor) && (!this.data || str(s.data) === this.data || s.key);
      this.rows = [];
      this.f.steps.forEach((s, i) => wanted(s) ? this.rows.push(i) : 0);
      this.rowOf = new Map(this.rows.map((s, r) => [s, r]));
      this.then = this.rows.filter(i => this.f.steps[i].recorded_at).sort((a, b) => this.f.steps[a].recorded_at - this.f.steps[b].recorded_at);
      if (!this.rowOf.has(this.selected)) this.selected = this.rows.length ? this.rows[0] : -1;
      this.holds = this.findHolds();
    }

    /* Rows through which a thread holds a lock: {thread, lock, from, to, depth}. */
    findHolds() {
      const open = new Map(), out = [];
      const close = k => {
        out.push(open.get(k));
        open.delete(k);
      };
      this.rows.forEach((i, r) => {
        const s = this.f.steps[i], held = s.held.map(str);
        for (const [k, h] of [...open]) if (h.thread === s.thread && !held.includes(h.lock) && !(s.op === "unlock" && str(s.data) === h.lock)) close(k);
        if (s.op === "lock" && !s.last && !held.includes(str(s.data))) held.push(str(s.data));
        held.forEach((lock, depth) => {
          const k = s.thread + " " + lock;
          if (!open.has(k)) open.set(k, { thread: s.thread, lock, from: r, to: r, depth });
          open.get(k).to = r;
        });
        if (s.op === "unlock" && open.has(s.thread + " " + str(s.data))) close(s.thread + " " + str(s.data));
      });
      /* a lock that is never released is held to the end */
      for (const h of open.values()) {
        const later = this.rows.some((i, r) => r > h.to && this.f.steps[i].thread === h.thread);
        out.push(later ? h : { ...h, to: this.rows.length - 1 });
      }
      return out;
    }

    layout() {
      const with_rows = new Set(this.rows.map(i => this.f.steps[i].thread)), lanes = this.threads.filter(t => with_rows.has(t)), width = this.view.clientWidth || 900;
      const counts = new Map(lanes.map(t => [t, this.rows.filter(i => this.f.steps[i].thread === t).length]));
      this.narrow = width < 560 && lanes.length > 1;
      this.rec = this.recorded ? this.narrow ? 210 : 185 : 0;
      /* a thread with few of the steps needs less room */
      const weight = t => lanes.length > 2 && counts.get(t) * 4 <= this.rows.length ? .6 : 1;
      const unit = (width - this.rec) / Math.max(lanes.reduce((sum, t) => sum + weight(t), 0), 1);
      const wide = this.narrow ? width - (this.recorded ? 60 : 0) : Math.max(unit, 170);
      this.lanes = new Map();
      this.width = this.narrow || !lanes.length ? Math.floor(wide) : 0;
      for (const t of lanes) {
        const w = Math.floor(this.narrow ? wide : wide * weight(t));
        this.lanes.set(t, { left: this.narrow ? 0 : this.width, width: w });
        if (!this.narrow) this.width += w;
      }
      /* two lines where a sentence needs more than its lane has */
      const room = t => this.lanes.get(t).width - this.inset() - 30, letters = s => (str(s.what) + (s.recorded ? str(s.recorded) + "  (recorded: )" : "")).length;
      this.row = this.rows.some(i => letters(this.f.steps[i]) * 7.4 > room(this.f.steps[i].thread)) ? 74 : 54;
      this.canvas.style.setProperty("--row", this.row + "px");
      this.canvas.classList.toggle("tall", this.row > 54);
      this.root.classList.toggle("narrow", this.narrow);
      const one = t => {
        const th = this.f.threads[t] || {}, e = make("div", "head " + color(t), make("b", "", capital(threadName(this.f, t))),
          make("span", "", place(th.created) ? "created at " + place(th.created) : "\u00a0"));
        e.style.width = this.lanes.get(t).width + "px";
        return e;
      };
      const heads = this.narrow ? [] : lanes.map(one);
      if (this.narrow) {
        const e = make("div", "head", ...lanes.flatMap(t => [who(t), " " + threadName(this.f, t) + "  "]));
        e.style.width = this.width + "px";
        heads.push(e);
      }
      if (this.recorded) {
        const e = make("div", "head recorded", make("b", "", "Recorded order"), make("span", "", this.moved.size ? "bold: in another place" : "the same order"));
        e.style.width = this.rec + "px";
        heads.push(e);
      }
      this.heads.replaceChildren(...heads);
      this.canvas.style.height = this.rows.length * this.row + "px";
      this.canvas.style.width = this.width + this.rec + "px";
      this.draw();
      this.inspect();
    }

    /* Draws the rows in sight and some around them: a schedule may have ten thousand. */
    draw(all) {
      const top = this.view.scrollTop, height = all ? Infinity : this.view.clientHeight || 600;
      const from = all ? 0 : Math.max(0, Math.floor(top / this.row) - AHEAD), to = Math.min(this.rows.length, Math.ceil((top + height) / this.row) + AHEAD);
      const out = [];
      for (const l of this.lanes.values()) {
        const e = make("div", l.left ? "lane" : "lane first");
        e.style.left = l.left + "px";
        e.style.width = l.width + "px";
        out.push(e);
      }
      if (this.recorded) {
        const e = make("div", "lane recorded");
        e.style.left = this.width + "px";
        e.style.width = this.rec + "px";
        out.push(e);
      }
      for (const h of this.holds) if (h.to >= from && h.from < to && this.lanes.has(h.thread)) out.push(this.drawHold(h));
      for (let r = from; r < to; r++) {
        if (r && this.f.steps[this.rows[r]].thread !== this.f.steps[this.rows[r - 1]].thread) {
          const e = make("div", "switch");
          e.style.top = r * this.row + "px";
          e.style.width = this.width + "px";
          out.push(e);
        }
        out.push(this.drawStep(r));
        if (this.recorded && r < this.then.length) out.push(this.drawRecorded(r));
      }
      out.push(this.drawFlows(from, to));
      if (!this.rows.length) out.push(make("p", "empty", "No step matches the filters."));
      this.canvas.replaceChildren(...out);
      this.view.setAttribute("aria-activedescendant", this.selected < 0 ? "" : "step-" + this.selected);
    }

    at(s) {
      return this.file ? s.place.line ? String(s.place.line) : "" : place(s.place);
    }

    drawHold(h) {
      const e = make("div", "hold " + color(h.thread));
      e.style.left = this.lanes.get(h.thread).left + 5 + h.depth * 6 + (this.narrow ? this.threads.indexOf(h.thread) * 6 : 0) + "px";
      e.style.top = h.from * this.row + 6 + "px";
      e.style.height = (h.to - h.from + 1) * this.row - 12 + "px";
      e.title = threadName(this.f, h.thread) + " holds " + h.lock;
      return e;
    }

    inset() {
      return 10 + 6 * Math.max(0, ...this.holds.map(h => h.depth + 1)) + (this.narrow ? 6 * (this.threads.length - 1) : 0);
    }

    drawStep(r) {
      const i = this.rows[r], s = this.f.steps[i], what = make("div", "what", who(s.thread), str(s.what), s.recorded ? make("span", "was", "  (recorded: " + str(s.recorded) + ")") : null);
      what.firstChild.classList.add("chip");
      const e = make("div", "step " + color(s.thread) + (s.key ? " key" : "") + (s.last && !/^(waits|sleeps) /.test(str(s.what)) ? " last" : "") + (s.minor ? " minor" : ""), what,
        make("div", "src", make("span", "at", this.at(s) + "  "), str(s.source)));
      e.id = "step-" + i;
      e.setAttribute("role", "option");
      e.setAttribute("aria-selected", String(i === this.selected));
      e.setAttribute("aria-posinset", r + 1);
      e.setAttribute("aria-setsize", this.rows.length);
      e.setAttribute("aria-label", threadName(this.f, s.thread) + " " + str(s.what) + (place(s.place) ? ", " + place(s.place) : ""));
      e.title = str(s.what) + (s.recorded ? " (recorded: " + str(s.recorded) + ")" : "") + "\n" + place(s.place) + "  " + str(s.source);
      e.style.top = r * this.row + "px";
      e.style.left = this.lanes.get(s.thread).left + this.inset() + "px";
      e.style.width = this.lanes.get(s.thread).width - this.inset() - 8 + "px";
      e.addEventListener("click", () => this.select(i));
      return e;
    }

    drawRecorded(r) {
      const i = this.then[r], s = this.f.steps[i];
      const value = s.recorded && str(s.value) && str(s.what).endsWith(" = " + str(s.value)) ? str(s.what).slice(0, -str(s.value).length) + str(s.recorded) : str(s.what);
      const what = make("div", "what", who(s.thread), this.moved.has(i) ? make("b", "", value) : value);
      what.firstChild.classList.add("chip");
      const e = make("div", "step rec" + (this.moved.has(i) ? " moved" : ""), what, make("div", "src", make("span", "at", this.at(s))));
      e.setAttribute("aria-hidden", "true");
      e.style.top = r * this.row + "px";
      e.style.left = this.width + 6 + "px";
      e.style.width = this.rec - 12 + "px";
      e.title = value;
      e.classList.toggle("here", i === this.selected);
      e.addEventListener("click", () => this.select(i));
      return e;
    }

    drawFlows(from, to) {
      const g = svg("svg", { width: this.width, height: this.rows.length * this.row, "aria-hidden": "true" });
      const one = (w, i) => {
        const a = this.rowOf.get(w), b = this.rowOf.get(i);
        const x = this.f.steps[w], y = this.f.steps[i], on = i === this.selected || w === this.selected;
        if (a === undefined || b === undefined || b < from || a > to || (x.thread === y.thread && !on)) return;
        const left = t => this.lanes.get(t).left + this.inset(), right = t => this.lanes.get(t).left + this.lanes.get(t).width - 8;
        const ya = a * this.row + this.row - 12, yb = b * this.row + 14;
        let d, dir;
        if (this.lanes.get(x.thread).left === this.lanes.get(y.thread).left) {
          const e = right(x.thread);
          d = `M${e - 2} ${ya} C${e + 14} ${ya} ${e + 14} ${yb} ${e + 2} ${yb}`;
          dir = -1;
        } else {
          const forward = this.lanes.get(x.thread).left < this.lanes.get(y.thread).left, xa = forward ? right(x.thread) : left(x.thread), xb = forward ? left(y.thread) - 2 : right(y.thread) + 2;
          const bend = Math.min(60, Math.abs(xb - xa) / 2 + 26);
          dir = forward ? 1 : -1;
          d = `M${xa} ${ya} C${xa + dir * bend} ${ya} ${xb - dir * bend} ${yb} ${xb} ${yb}`;
        }
        const end = d.split(" ").slice(-2).map(Number);
        g.append(svg("path", { d, class: on ? "flow on" : "flow" }),
          svg("path", { d: `M${end[0]} ${end[1]} l${-7 * dir} -3.5 l0 7 z`, class: "tip" }));
      };
      this.rows.forEach(i => this.f.steps[i].reads_from ? one(this.f.steps[i].reads_from - 1, i) : 0);
      return g;
    }

    select(i) {
      if (i < 0) return;
      this.selected = i;
      const y = this.rowOf.get(i) * this.row, head = this.heads.offsetHeight;
      if (y < this.view.scrollTop) this.view.scrollTop = y;
      else if (y + this.row + head > this.view.scrollTop + this.view.clientHeight) this.view.scrollTop = y + this.row + head - this.view.clientHeight;
      this.draw();
      this.inspect();
    }

    /* Selects a step that a filter may hide. */
    reveal(i) {
      if (!this.rowOf.has(i)) {
        this.hidden.clear();
        this.data = "";
        this.minor = this.minor || this.f.steps[i].minor;
        this.bar.replaceWith(this.bar = this.drawBar());
        this.filter();
        this.layout();
      }
      this.select(i);
    }

    move(by, same) {
      let r = this.rowOf.has(this.selected) ? this.rowOf.get(this.selected) : -1;
      const thread = r >= 0 ? this.f.steps[this.rows[r]].thread : 0;
      do r += by; while (same && r >= 0 && r < this.rows.length && this.f.steps[this.rows[r]].thread !== thread);
      if (r >= 0 && r < this.rows.length) this.select(this.rows[r]);
    }

    /* The source around the step, the values and the locks after it. */
    inspect() {
      const i = this.selected, s = this.f.steps[i];
      if (!s) return this.state.replaceChildren();
      const r = this.rowOf.get(i), back = press("", () => this.move(-1), "↑"), on = press("", () => this.move(1), "↓");
      back.disabled = !r;
      on.disabled = r + 1 >= this.rows.length;
      back.setAttribute("aria-label", "Previous step");
      on.setAttribute("aria-label", "Next step");
      this.state.replaceChildren(
        make("div", "panel", make("div", "now", make("span", "", "Step " + (r + 1) + " of " + this.rows.length), make("span", "", back, " ", on)),
          make("p", "sentence", who(s.thread), " " + str(s.what)),
          s.recorded ? make("p", "muted", "In the recorded run: " + str(s.recorded)) : null,
          s.reads_from ? make("p", "muted", "Reads what ", press("link", () => this.reveal(s.reads_from - 1), "T" + this.f.steps[s.reads_from - 1].thread + " wrote"), ".") : null,
          this.drawCode(s), this.drawStack(s)),
        this.drawValues(i));
    }

    drawCode(s) {
      const n = s.place.line, snip = this.f.snippets.find(x => str(x.file) === str(s.place.file) && n >= x.first && n < x.first + str(x.text).split("\n").length);
      if (!snip) return str(s.source) ? make("div", "code", make("div", "at", make("span", "n", String(n)), str(s.source))) : null;
      const lines = str(snip.text).replace(/\n$/, "").split("\n"), from = Math.max(0, n - snip.first - 4), to = Math.min(lines.length, n - snip.first + 5);
      const shown = lines.slice(from, to), indent = Math.min(...shown.filter(l => l.trim()).map(l => l.match(/^\s*/)[0].length));
      return make("div", "code", ...shown.map((l, k) => make("div", snip.first + from + k === n ? "at" : "",
        make("span", "n", String(snip.first + from + k)), l.slice(Number.isFinite(indent) ? indent : 0) || " ")));
    }

    drawStack(s) {
      const frames = s.stack.length ? s.stack : s.place.function ? [s.place] : [];
      return frames.length ? make("div", "stack", ...frames.slice(0, 8).map((p, n) => make("div", "", "#" + n + " " + str(p.function) + "  " + place(p)))) : null;
    }

    drawValues(i) {
      const values = new Map(), locks = new Map();
      for (let k = 0; k <= i; k++) {
        const s = this.f.steps[k], name = str(s.data);
        if (["read", "write", "update"].includes(s.op) && name && s.value !== null && !s.last)
          values.set(name, { now: str(s.value).split(" → ").pop(), then: str(s.recorded || s.value).split(" → ").pop(), at: k });
        if (s.op === "lock" && !s.last) locks.set(name, s.thread);
        if (s.op === "unlock") locks.delete(name);
        for (const l of s.held.map(str)) if (!(s.op === "unlock" && l === name)) locks.set(l, s.thread);
      }
      if (!values.size && !locks.size) return "";
      const rows = [...values].sort((a, b) => b[1].at - a[1].at).slice(0, 40).map(([name, v]) => make("tr", v.at === i ? "touched" : "",
        make("td", "", name), make("td", v.now !== v.then ? "diff" : "", v.now), make("td", "", v.then)));
      const table = rows.length ? make("table", "", make("thead", "", make("tr", "", make("th", "", "variable"), make("th", "", "here"), make("th", "", "recorded"))), make("tbody", "", ...rows)) : null;
      return make("div", "panel", make("h2", "", "Values after this step"), table,
        ...[...locks].map(([l, t]) => make("p", "muted", who(t), " holds ", make("code", "", l))));
    }
  }

  /* ---- the page ---- */

  document.addEventListener("keydown", e => {
    if (e.altKey || e.ctrlKey || e.metaKey || e.target.tagName === "SELECT") return;
    const act = {
      ArrowDown: () => view && view.move(1), ArrowUp: () => view && view.move(-1),
      ArrowRight: () => view && view.move(1, true), ArrowLeft: () => view && view.move(-1, true),
      Home: () => view && view.select(view.rows[0]), End: () => view && view.select(view.rows[view.rows.length - 1]),
      "]": () => show(current + 1, true), "[": () => show(current - 1, true),
    }[e.key];
    if (!act || (!view && !/[\][]/.test(e.key))) return;
    e.preventDefault();
    act();
  });
  addEventListener("resize", () => view && view.layout());
  addEventListener("beforeprint", () => view && view.draw(true));
  addEventListener("afterprint", () => view && view.draw());

  const n = data.findings.length, seen = data.findings.filter(e => e.seen).length;
  document.getElementById("verdict").textContent = (n ? n + (n === 1 ? " finding" : " findings") + (seen ? ", " + seen + " seen on the real program" : "") : "No findings") +
    (data.headline ? "; " + data.headline : "");
  drawList();
  if (n) show(0, false);
  else main.append(make("h1", "", "No findings"), make("p", "words", data.headline ? capital(data.headline) + "." : "The directory has no findings."));
})();
