// A wall clock that each look finds ten years earlier or later. Monotonic clocks are the system's own.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

static long long jump(void) {
  static long looks = 0;
  return (__atomic_fetch_add(&looks, 1, __ATOMIC_RELAXED) % 2 ? 1 : -1) * 10LL * 365 * 86400;
}

int clock_gettime(clockid_t clock, struct timespec *found) {
  static int (*own)(clockid_t, struct timespec *);
  if (own == NULL) own = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  const int status = own(clock, found);
  if (status == 0 && clock == CLOCK_REALTIME) found->tv_sec += jump();
  return status;
}

int gettimeofday(struct timeval *restrict found, void *restrict zone) {
  (void)zone;
  struct timespec now;
  const int status = clock_gettime(CLOCK_REALTIME, &now);
  found->tv_sec = now.tv_sec;
  found->tv_usec = now.tv_nsec / 1000;
  return status;
}

time_t time(time_t *found) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (found != NULL) *found = now.tv_sec;
  return now.tv_sec;
}
