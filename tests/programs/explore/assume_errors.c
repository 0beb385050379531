/*
 * check-name: assumptions that name nothing, or that no input meets, are reported and prove nothing
 * check-command: for s in 'countr == 2' 'conf.kind[4] == 1' 'conf.knd[0] == 1' 'conf == 1' 'list->next == 0' 'share > 1' 'argv[2][0] == 4' 'argv[1][7] == 4' 'argv[1] > 3' 'counter = 2' '(counter == 2' 'counter ==' '' 'counter == 7' 'argv[1] == "7" && argv1[0] == 52' 'counter < 7'; do heddle explore --tests none -o $tmp/out --sym 'argv[1]:1' --assume "$s" -- $exe 2>&1; echo "status $?"; done | grep -v branches
 * check-output:
heddle: error: --assume 'countr == 2': no global variable 'countr' (did you mean 'counter'?)
status 2
heddle: error: --assume 'conf.kind[4] == 1': the index is out of the bounds of its array
status 2
heddle: error: --assume 'conf.knd[0] == 1': no field 'knd'
status 2
heddle: error: --assume 'conf == 1': give a field or an element of a variable that has several
status 2
heddle: error: --assume 'list->next == 0': only fields and elements of variables themselves can be given, not what a pointer points to
status 2
heddle: error: --assume 'share > 1': floating-point variables are not supported
status 2
heddle: error: --assume 'argv[2][0] == 4': 'argv' is not a symbolic input (--sym)
status 2
heddle: error: --assume 'argv[1][7] == 4': the index is not less than the size of the input (--sym)
status 2
heddle: error: --assume 'argv[1] > 3': give a byte of the input, argv[1][0], or compare it with a string
status 2
heddle: error: --assume 'counter = 2': not understood from '= 2' on
status 2
heddle: error: --assume '(counter == 2': a ')' is missing
status 2
heddle: error: --assume 'counter ==': a name or a number is expected at ''
status 2
heddle: error: --assume '': a name or a number is expected at ''
status 2
heddle: incomplete: nothing found, but no input meets the assumption where the first thread is created
1 path: 1 assumption
not every path was executed to its end:
  no input meets the assumption where the first thread is created
  not covered: weaker memory than sequentially consistent
status 3
heddle: incomplete: nothing found, but no input meets the assumption
0 paths
not every path was executed to its end:
  no input meets the assumption
  not covered: weaker memory than sequentially consistent
status 3
heddle: no failure in any schedule of any symbolic input if the program has no data races, assuming counter < 7
1 path: 1 exit
every path was executed to its end
  provided that the program has no data races (--switch access finds them)
  not covered: weaker memory than sequentially consistent; spurious wake-ups (--spurious)
status 0
 * check-output-end
 */
#include <pthread.h>
#include <stdlib.h>

struct item {
	struct item *next;
};

static struct conf {
	int size;
	unsigned char kind[4];
} conf;
static struct item *list;
static double share;
static int counter;

static void *work(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	conf.size = argc;
	conf.kind[1] = (unsigned char)argc;
	list = argc > 5 ? malloc(sizeof *list) : NULL;
	share = argc;
	counter = argc;
	pthread_create(&t, NULL, work, argv);
	pthread_join(t, NULL);
	return list != NULL || share < 1 || conf.size > 5 || conf.kind[1] > 5;
}
