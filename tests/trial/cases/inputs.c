/*
 * check-name: standard input, a variable, a file, objects by name and number
 * explore: --sym stdin:2 --sym env:COLOR:2 --max-paths 20
 * test: {"inputs": [{"name": "stdin", "bytes": "hi\n"}, {"name": "env:COLOR", "bytes": "red"},
 * test:  {"name": "file:data.txt", "bytes": {"hex": "310a"}}, {"name": "object:x#2", "bytes": {"value": -3, "size": 4}},
 * test:  {"name": "object:x", "bytes": {"value": 40, "size": 4}}], "outcome": {"fate": "exited", "status": 37,
 * test:  "output": "hi red 1 40 -3\n"}}
 * says: same: exited with 37
 * test: {"outcome": {"fate": "exited", "status": 3, "output": "- - - 1 2\n"}}
 * says: same: exited with 3
 * test: {"outcome": {"fate": "exited", "status": 3, "output": "- - - 1 3\n"}}
 * says: different: exited with 3, but it printed different output \(10 bytes, expected 10\); expected: exits with 3
 * test: {"inputs": [{"name": "syscall:read#1", "bytes": {"value": -1, "size": 8}}], "outcome": {"fate": "exited", "status": 3}}
 * says: machine only: exits with 3 on heddle's machine; heddle cannot pass the input 'syscall:read#1' to the real program
 */
#include <heddle/heddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	const char *color = getenv("COLOR");
	char line[8] = "-", word[8] = "-";
	FILE *f = fopen("./sub/../data.txt", "r");
	int x = 1, y = 2;

	if (fgets(line, sizeof line, stdin))
		line[strcspn(line, "\n")] = 0;
	if (f && fgets(word, sizeof word, f))
		word[strcspn(word, "\n")] = 0;
	heddle_input(&x, sizeof x, "x");
	heddle_input(&y, sizeof y, "x");
	printf("%s %s %s %d %d\n", line, color ? color : "-", word, x, y);
	return x + y;
}
