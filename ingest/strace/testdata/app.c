// Does some network and disk work, for logs of strace:
//
//   gcc -O0 -pthread -o app app.c
//   strace -f -ttt -T -k -o app.log ./app ADDRESS PORT
//
// at whose ADDRESS something answers what is sent with 6000 bytes and closes.
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_in server = {.sin_family = AF_INET};

__attribute__((noinline)) void fetch(void) {
  char buffer[4096];
  int s = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(s, (struct sockaddr *)&server, sizeof server) < 0) exit(1);
  send(s, "GET /\r\n\r\n", 9, 0);
  while (recv(s, buffer, sizeof buffer, 0) > 0) {}
  close(s);
}

__attribute__((noinline)) void save(const char *path) {
  int f = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  int again = dup(f);
  close(f);
  for (int i = 0; i < 3; i++) write(again, "0123456789", 10);
  fsync(again);
  close(again);
  unlink(path);
}

static void *work(void *unused) {
  fetch();
  return unused;
}

int main(int n, char **args) {
  server.sin_addr.s_addr = inet_addr(args[1]);
  server.sin_port = htons(atoi(args[2]));
  int ends[2];
  pipe(ends);
  write(ends[1], "abc", 3);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  save("app.tmp");
  pthread_join(thread, NULL);
  if (fork() == 0) {
    fetch();
    _exit(0);
  }
  wait(NULL);
  return 0;
}
