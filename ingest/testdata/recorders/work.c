/*
 * Works in three functions, 6 to 3 to 1, in each of a number of threads. Another thread sleeps
 * meanwhile, and all sleep at the end. Arguments: the rounds of work, and the number of threads.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile long sink;
static int rounds;

static long now(clockid_t c) { struct timespec t; clock_gettime(c, &t); return t.tv_sec * 1000000000L + t.tv_nsec; }

__attribute__((noinline)) void sixty(long n) { for (long i = 0; i < n; i++) sink += i * 31 % 7; }
__attribute__((noinline)) void thirty(long n) { for (long i = 0; i < n; i++) sink += i * 31 % 7; }
__attribute__((noinline)) void ten(long n) { for (long i = 0; i < n; i++) sink += i * 31 % 7; }

static void *work(void *used) {
    long begin = now(CLOCK_THREAD_CPUTIME_ID);
    unsigned random = 1;
    /* The length of a round varies, so that rounds and samples do not keep step. */
    for (int i = 0; i < rounds; i++) {
        random = random * 1103515245 + 12345;
        long scale = 1 + (random >> 16) % 8;
        sixty(12000 * scale);
        thirty(6000 * scale);
        ten(2000 * scale);
    }
    *(long *)used = now(CLOCK_THREAD_CPUTIME_ID) - begin;
    return 0;
}

static void *idle(void *none) { sleep(60); return none; }

int main(int argc, char **argv) {
    int count = argc > 2 ? atoi(argv[2]) : 1;
    long used[64], sum = 0, begin = now(CLOCK_MONOTONIC);
    pthread_t sleeper, workers[64];
    rounds = argc > 1 ? atoi(argv[1]) : 1000;
    pthread_create(&sleeper, 0, idle, 0);
    for (int i = 1; i < count; i++) pthread_create(&workers[i], 0, work, &used[i]);
    work(&used[0]);
    for (int i = 1; i < count; i++) pthread_join(workers[i], 0);
    for (int i = 0; i < count; i++) sum += used[i];
    long elapsed = now(CLOCK_MONOTONIC) - begin;
    usleep(300000);
    if (getenv("WORK_TIMES")) {
        FILE *f = fopen(getenv("WORK_TIMES"), "w");
        fprintf(f, "%ld %ld %ld\n", sum, elapsed, now(CLOCK_PROCESS_CPUTIME_ID));
        fclose(f);
    }
    return 0;
}
