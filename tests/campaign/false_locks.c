#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
static int said(void) {
  const char* number = getenv("LOCK_ERROR");
  if (number == NULL) return 0;
  errno = atoi(number);
  return -1;
}
int flock(int fd, int how) { return said(); }
static int answer(const char* name, int fd, int command, long argument) {
  if (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW)
    return said();
  int (*real)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, name);
  return real(fd, command, argument);
}
int fcntl(int fd, int command, ...) {
  va_list rest; va_start(rest, command); long argument = va_arg(rest, long); va_end(rest);
  return answer("fcntl", fd, command, argument);
}
int fcntl64(int fd, int command, ...) {
  va_list rest; va_start(rest, command); long argument = va_arg(rest, long); va_end(rest);
  return answer("fcntl64", fd, command, argument);
}
