/* Preloaded into a test program: passes a word on when main has returned 0, and only then.
 *
 * A test program that is left by exit(0) in the middle of a test looks as if the test had passed. The word is read
 * before any constructor of the program runs; AGENT_BENCH_GUARD names the descriptors for it, in and out. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*program)(int, char **, char **);
typedef int (*starter)(program, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static program start;
static char word[64];
static ssize_t size;
static int source, target;

static int guarded(int count, char **arguments, char **environment) {
    int code = start(count, arguments, environment);
    if (code == 0 && size > 0 && write(target, word, (size_t)size) < 0) {
        return 1;
    }
    return code;
}

int __libc_start_main(program given, int count, char **arguments, void (*init)(void), void (*fini)(void),
                      void (*at_end)(void), void *stack) {
    starter next = (starter)dlsym(RTLD_NEXT, "__libc_start_main");
    start = given;
    const char *numbers = getenv("AGENT_BENCH_GUARD");
    if (numbers && sscanf(numbers, "%d %d", &source, &target) == 2) {
        size = read(source, word, sizeof word);
        close(source);
    }
    unsetenv("AGENT_BENCH_GUARD");
    unsetenv("LD_PRELOAD"); /* what the tests start is not guarded */
    return next(guarded, count, arguments, init, fini, at_end, stack);
}
