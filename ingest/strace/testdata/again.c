// Has the kernel give the numbers of threads that ended to others, for logs of strace:
//
//   gcc -O0 -static -o again again.c && ln -s again one
//   strace -f -ttt -T -e trace=execve,clone,vfork,openat,write,prctl -o again.log ./again
//
// as root, in a system where little else begins.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// next asks for the number of the next thread.
static void next(pid_t wanted) {
  char text[16];
  int f = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);
  write(f, text, snprintf(text, sizeof text, "%d", wanted - 1));
  close(f);
}

int main(int argc, char **argv) {
  if (strcmp(argv[0], "one") == 0) {
    write(open("one.tmp", O_CREAT | O_WRONLY, 0600), "1", 1);
    return 0;
  }
  pid_t one = fork();
  if (one == 0) execl("./one", "one", NULL);
  waitpid(one, NULL, 0);

  int f = open("two.tmp", O_CREAT | O_WRONLY, 0600);
  next(one);
  pid_t two = fork();
  if (two == 0) {
    prctl(PR_SET_NAME, "two");
    write(f, "22", 2);
    _exit(0);
  }
  waitpid(two, NULL, 0);

  // This child has ended when the call which makes it does.
  pid_t three = vfork();
  if (three == 0) _exit(0);
  waitpid(three, NULL, 0);
  next(three);
  pid_t four = fork();
  if (four == 0) {
    write(f, "4444", 4);
    _exit(0);
  }
  waitpid(four, NULL, 0);
  return one == two && three == four ? 0 : 1;
}
