/* Makes each wait for the disk SYNC_MS long, and counts in the file COUNTS what a process asks of its disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct counts {
  _Atomic uint64_t syncs, writes, bytes;
  /* The longest of these calls on the main thread, microseconds. */
  _Atomic uint64_t longest_on_main;
};

static struct counts *counts;

__attribute__((constructor)) static void begin(void) {
  int file = open(COUNTS, O_RDWR);
  if (file < 0) return;
  void *memory = mmap(0, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) counts = memory;
}

static uint64_t now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void note(uint64_t began_us) {
  if (!counts || syscall(SYS_gettid) != getpid()) return;
  uint64_t took = now_us() - began_us;
  uint64_t longest = counts->longest_on_main;
  while (took > longest && !atomic_compare_exchange_weak(&counts->longest_on_main, &longest, took)) {}
}

static int slow(int (*sync)(int), int file) {
  uint64_t began_us = now_us();
  struct timespec pause = {SYNC_MS / 1000, (SYNC_MS % 1000) * 1000000L};
  nanosleep(&pause, 0);
  int result = sync(file);
  if (counts) counts->syncs++;
  note(began_us);
  return result;
}

int fsync(int file) { return slow((int (*)(int))dlsym(RTLD_NEXT, "fsync"), file); }

int fdatasync(int file) { return slow((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"), file); }

static ssize_t counted(const char *name, int file, const void *from, size_t size, off64_t at) {
  ssize_t (*write_at)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, name);
  uint64_t began_us = now_us();
  ssize_t written = write_at(file, from, size, at);
  if (counts && written > 0) {
    counts->writes++;
    counts->bytes += written;
  }
  note(began_us);
  return written;
}

ssize_t pwrite64(int file, const void *from, size_t size, off64_t at) {
  return counted("pwrite64", file, from, size, at);
}

ssize_t pwrite(int file, const void *from, size_t size, off_t at) {
  return counted("pwrite", file, from, size, at);
}
