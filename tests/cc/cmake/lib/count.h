int count_to(int n);
int spare(void);
