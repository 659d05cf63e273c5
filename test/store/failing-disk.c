/* While the file SWITCH holds a number, each write and each wait for the disk fails with that error. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static int failure(void) {
  FILE *file = fopen(SWITCH, "r");
  int number = 0;
  if (!file) return 0;
  if (fscanf(file, "%d", &number) != 1) number = 0;
  fclose(file);
  return number;
}

#define FAIL_OR(call)       \
  do {                      \
    int number = failure(); \
    if (number) {           \
      errno = number;       \
      return -1;            \
    }                       \
    return call;            \
  } while (0)

int fsync(int file) { FAIL_OR(((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file)); }

int fdatasync(int file) { FAIL_OR(((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file)); }

ssize_t pwrite64(int file, const void *from, size_t size, off64_t at) {
  FAIL_OR(((ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64"))(file, from, size, at));
}

ssize_t pwrite(int file, const void *from, size_t size, off_t at) {
  FAIL_OR(((ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite"))(file, from, size, at));
}
