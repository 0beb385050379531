/*
 * check-name: the name of an open descriptor is not looked up among the explorer's own
 * check-command: heddle explore -- $exe
 * check-correct: no
 * check-run: --switch sync => "names an open descriptor, which is not modelled"
 */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
	char path[] = "/tmp/heddle-XXXXXX", name[40], c;
	int out = mkstemp(path), in;

	assert(write(out, "x", 1) == 1);
	snprintf(name, sizeof name, "/dev/fd/%d", out);
	in = open(name, O_RDONLY);
	unlink(path);
	assert(in >= 0 && read(in, &c, 1) == 1);
	return 0;
}
