#include <time.h>
#include <unistd.h>
volatile long sink;
__attribute__((noinline)) void heavy(long n) { for (long i = 0; i < n; i++) sink += i * 31 % 7; }
__attribute__((noinline)) void light(long n) { for (long i = 0; i < n; i++) sink ^= i * 17 % 11; }
int main(void) {
    time_t end = time(0) + 2;
    while (time(0) < end) { heavy(300000); light(100000); }
    usleep(500000);
    return 0;
}
