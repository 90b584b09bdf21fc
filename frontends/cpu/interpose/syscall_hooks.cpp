// What programs that make system calls themselves tell about them (sanitizer/linux_syscall_hooks.h).
//
// A hook before the call and one after it, for every system call. The calls on descriptors that move
// data order threads and touch memory as the library functions do. Of the others only the names
// matter: programs that use the header must link.
#include <cstddef>
#include <cstdint>

#include "frontends/cpu/interpose/descriptor.h"
#include "frontends/cpu/interpose/intercept.h"

// The program's own function made the call: it is the innermost of the stack.
#define REDFLAG_HOOK(name, ...) \
  extern "C" __attribute__((visibility("default"))) void __sanitizer_syscall_##name(__VA_ARGS__)
#define REDFLAG_HOOK_CALL() \
  const redflag::rt::LibraryCall call(nullptr, __builtin_return_address(0))

namespace redflag::interpose {
namespace {

void will_write(const rt::LibraryCall& call, long fd, const void* data, std::size_t n) {
  if (call && n != 0) rt::read(*call.thread, data, n);
  fd_writing(call, static_cast<int>(fd));
}

void have_read(const rt::LibraryCall& call, long result, long fd, void* data) {
  if (result < 0) return;
  if (call && result > 0) rt::write(*call.thread, data, static_cast<std::size_t>(result));
  fd_read(call, static_cast<int>(fd));
}

void piped(const rt::LibraryCall& call, long result, int* ends) {
  if (!call || result < 0 || ends == nullptr) return;
  rt::write(*call.thread, ends, 2 * sizeof *ends);
  fd_pair_opened(call, ends[0], ends[1]);
}

}  // namespace

REDFLAG_HOOK(pre_impl_read, long, void*, long) {}
REDFLAG_HOOK(post_impl_read, long result, long fd, void* data, long) {
  REDFLAG_HOOK_CALL();
  have_read(call, result, fd, data);
}
REDFLAG_HOOK(pre_impl_pread64, long, void*, long, long) {}
REDFLAG_HOOK(post_impl_pread64, long result, long fd, void* data, long, long) {
  REDFLAG_HOOK_CALL();
  have_read(call, result, fd, data);
}
REDFLAG_HOOK(pre_impl_write, long fd, const void* data, long n) {
  REDFLAG_HOOK_CALL();
  will_write(call, fd, data, static_cast<std::size_t>(n));
}
REDFLAG_HOOK(post_impl_write, long, long, const void*, long) {}
REDFLAG_HOOK(pre_impl_pwrite64, long fd, const void* data, long n, long) {
  REDFLAG_HOOK_CALL();
  will_write(call, fd, data, static_cast<std::size_t>(n));
}
REDFLAG_HOOK(post_impl_pwrite64, long, long, const void*, long, long) {}
REDFLAG_HOOK(pre_impl_pipe, int*) {}
REDFLAG_HOOK(post_impl_pipe, long result, int* ends) {
  REDFLAG_HOOK_CALL();
  piped(call, result, ends);
}
REDFLAG_HOOK(pre_impl_pipe2, int*, long) {}
REDFLAG_HOOK(post_impl_pipe2, long result, int* ends, long) {
  REDFLAG_HOOK_CALL();
  piped(call, result, ends);
}
REDFLAG_HOOK(pre_impl_close, long fd) {
  REDFLAG_HOOK_CALL();
  fd_closing(call, static_cast<int>(fd));
}
REDFLAG_HOOK(post_impl_close, long, long) {}
REDFLAG_HOOK(pre_impl_fork, void) {
  rt::fork_before();
}
REDFLAG_HOOK(post_impl_fork, long result) {
  if (result == 0) {
    rt::fork_after_in_child();
  } else {
    rt::fork_after_in_parent();
  }
}
// A vfork's child borrows its parent's memory: nothing of ours may change.
REDFLAG_HOOK(pre_impl_vfork, void) {}
REDFLAG_HOOK(post_impl_vfork, long) {}

// clang-format off
#define REDFLAG_OTHER_CALLS(X) \
  X(time) X(stime) X(gettimeofday) X(settimeofday) X(adjtimex) X(times) X(gettid) X(nanosleep) \
  X(alarm) X(getpid) X(getppid) X(getuid) X(geteuid) X(getgid) X(getegid) X(getresuid) \
  X(getresgid) X(getpgid) X(getpgrp) X(getsid) X(getgroups) X(setregid) X(setgid) X(setreuid) \
  X(setuid) X(setresuid) X(setresgid) X(setfsuid) X(setfsgid) X(setpgid) X(setsid) X(setgroups) \
  X(acct) X(capget) X(capset) X(personality) X(sigpending) X(sigprocmask) X(getitimer) \
  X(setitimer) X(timer_create) X(timer_gettime) X(timer_getoverrun) X(timer_settime) \
  X(timer_delete) X(clock_settime) X(clock_gettime) X(clock_adjtime) X(clock_getres) \
  X(clock_nanosleep) X(nice) X(sched_setscheduler) X(sched_setparam) X(sched_getscheduler) \
  X(sched_getparam) X(sched_setaffinity) X(sched_getaffinity) X(sched_yield) \
  X(sched_get_priority_max) X(sched_get_priority_min) X(sched_rr_get_interval) X(setpriority) \
  X(getpriority) X(shutdown) X(reboot) X(restart_syscall) X(kexec_load) X(exit) X(exit_group) \
  X(wait4) X(waitid) X(waitpid) X(set_tid_address) X(init_module) X(delete_module) \
  X(rt_sigprocmask) X(rt_sigpending) X(rt_sigtimedwait) X(rt_tgsigqueueinfo) X(kill) X(tgkill) \
  X(tkill) X(rt_sigqueueinfo) X(sgetmask) X(ssetmask) X(signal) X(pause) X(sync) X(fsync) \
  X(fdatasync) X(bdflush) X(mount) X(umount) X(oldumount) X(truncate) X(ftruncate) X(stat) \
  X(statfs) X(statfs64) X(fstatfs) X(fstatfs64) X(lstat) X(fstat) X(newstat) X(newlstat) \
  X(newfstat) X(ustat) X(stat64) X(fstat64) X(lstat64) X(setxattr) X(lsetxattr) X(fsetxattr) \
  X(getxattr) X(lgetxattr) X(fgetxattr) X(listxattr) X(llistxattr) X(flistxattr) X(removexattr) \
  X(lremovexattr) X(fremovexattr) X(brk) X(mprotect) X(mremap) X(remap_file_pages) X(msync) \
  X(munmap) X(mlock) X(munlock) X(mlockall) X(munlockall) X(madvise) X(mincore) X(pivot_root) \
  X(chroot) X(mknod) X(link) X(symlink) X(unlink) X(rename) X(chmod) X(fchmod) X(fcntl) \
  X(fcntl64) X(dup) X(dup2) X(dup3) X(ioperm) X(ioctl) X(flock) X(io_setup) X(io_destroy) \
  X(io_getevents) X(io_submit) X(io_cancel) X(sendfile) X(sendfile64) X(readlink) X(creat) \
  X(open) X(access) X(vhangup) X(chown) X(lchown) X(fchown) X(chown16) X(lchown16) X(fchown16) \
  X(setregid16) X(setgid16) X(setreuid16) X(setuid16) X(setresuid16) X(getresuid16) \
  X(setresgid16) X(getresgid16) X(setfsuid16) X(setfsgid16) X(getgroups16) X(setgroups16) \
  X(getuid16) X(geteuid16) X(getgid16) X(getegid16) X(utime) X(utimes) X(lseek) X(llseek) \
  X(readv) X(writev) X(preadv) X(pwritev) X(getcwd) X(mkdir) X(chdir) X(fchdir) X(rmdir) \
  X(lookup_dcookie) X(quotactl) X(getdents) X(getdents64) X(setsockopt) X(getsockopt) X(bind) \
  X(connect) X(accept) X(accept4) X(getsockname) X(getpeername) X(send) X(sendto) X(sendmsg) \
  X(sendmmsg) X(recv) X(recvfrom) X(recvmsg) X(recvmmsg) X(socket) X(socketpair) X(socketcall) \
  X(listen) X(poll) X(select) X(old_select) X(epoll_create) X(epoll_create1) X(epoll_ctl) \
  X(epoll_wait) X(epoll_pwait) X(epoll_pwait2) X(gethostname) X(sethostname) X(setdomainname) \
  X(newuname) X(uname) X(olduname) X(getrlimit) X(old_getrlimit) X(setrlimit) X(prlimit64) \
  X(getrusage) X(umask) X(msgget) X(msgsnd) X(msgrcv) X(msgctl) X(semget) X(semop) X(semctl) \
  X(semtimedop) X(shmat) X(shmget) X(shmdt) X(shmctl) X(ipc) X(mq_open) X(mq_unlink) \
  X(mq_timedsend) X(mq_timedreceive) X(mq_notify) X(mq_getsetattr) X(pciconfig_iobase) \
  X(pciconfig_read) X(pciconfig_write) X(swapon) X(swapoff) X(sysctl) X(sysinfo) X(sysfs) \
  X(syslog) X(uselib) X(ni_syscall) X(ptrace) X(add_key) X(request_key) X(keyctl) X(ioprio_set) \
  X(ioprio_get) X(set_mempolicy) X(migrate_pages) X(move_pages) X(mbind) X(get_mempolicy) \
  X(inotify_init) X(inotify_init1) X(inotify_add_watch) X(inotify_rm_watch) X(spu_run) \
  X(spu_create) X(mknodat) X(mkdirat) X(unlinkat) X(symlinkat) X(linkat) X(renameat) \
  X(futimesat) X(faccessat) X(fchmodat) X(fchownat) X(openat) X(newfstatat) X(fstatat64) \
  X(readlinkat) X(utimensat) X(unshare) X(splice) X(vmsplice) X(tee) X(get_robust_list) \
  X(set_robust_list) X(getcpu) X(signalfd) X(signalfd4) X(timerfd_create) X(timerfd_settime) \
  X(timerfd_gettime) X(eventfd) X(eventfd2) X(old_readdir) X(pselect6) X(ppoll) \
  X(fanotify_init) X(fanotify_mark) X(syncfs) X(perf_event_open) X(mmap_pgoff) X(old_mmap) \
  X(name_to_handle_at) X(open_by_handle_at) X(setns) X(process_vm_readv) X(process_vm_writev) \
  X(sigaction) X(rt_sigaction) X(sigaltstack) X(futex)
// clang-format on

#define REDFLAG_NO_HOOK(name)            \
  REDFLAG_HOOK(pre_impl_##name, void) {} \
  REDFLAG_HOOK(post_impl_##name, void) {}
REDFLAG_OTHER_CALLS(REDFLAG_NO_HOOK)

}  // namespace redflag::interpose
