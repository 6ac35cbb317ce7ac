#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
/* A file system like exFAT by FUSE: no hard links, and a file that is removed while it is open gets another name. */
int link(const char* from, const char* to) { errno = EPERM; return -1; }
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  errno = EPERM;
  return -1;
}
int unlinkat(int folder, const char* name, int flags) {
  struct stat file, open;
  if (!flags && fstatat(folder, name, &file, AT_SYMLINK_NOFOLLOW) == 0)
    for (int fd = 3; fd < 64; ++fd)
      if (fstat(fd, &open) == 0 && open.st_ino == file.st_ino) return renameat(folder, name, folder, ".hidden");
  int (*real)(int, const char*, int) = (int (*)(int, const char*, int))dlsym(RTLD_NEXT, "unlinkat");
  return real(folder, name, flags);
}
