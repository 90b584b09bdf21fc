// System V semaphores and message queues, POSIX message queues, and locks of files: what orders processes
// besides pipes and what lies in shared memory.
//
// Each is known by a name that is the same in all processes: its number, or its inode. Raising a
// semaphore, sending, and giving up a lock happen before what they let through, as for POSIX semaphores
// (sem.cpp): a wait learns from all that was released so far. Threads of one process are ordered by
// semaphores and queues too; a file's lock is the process's, so it orders none of its threads.
#include <fcntl.h>
#include <mqueue.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>

#include <ctime>

#include "frontends/cpu/interpose/intercept.h"
#include "frontends/cpu/interpose/ipc.h"

namespace redflag::interpose {
namespace {

// Names as descriptor.cpp makes them are above 2^59; these below, apart from each other.
constexpr std::uint64_t kSemaphores = std::uint64_t{1} << 50;
constexpr std::uint64_t kMessages = std::uint64_t{2} << 50;
constexpr std::uint64_t kQueues = std::uint64_t{3} << 50;
constexpr std::uint64_t kFileLocks = std::uint64_t{4} << 50;

// For the threads of this process. Few are in use at once; two that share one order a little more.
char keys[256];

void before(const rt::LibraryCall& call, std::uint64_t name) {
  if (!call) return;
  rt::release_named(*call.thread, name);
  rt::release(*call.thread, key_of(&keys[name % sizeof keys]));
}

void after(const rt::LibraryCall& call, std::uint64_t name) {
  if (!call) return;
  rt::acquire(*call.thread, key_of(&keys[name % sizeof keys]));
  rt::acquire_named(*call.thread, name);
}

std::uint64_t name_of(std::uint64_t kind, int id) {
  return kind | static_cast<std::uint32_t>(id);
}

std::uint64_t inode_name(std::uint64_t kind, int fd) {
  struct stat about;
  if (fstat(fd, &about) != 0) return 0;
  return kind | (about.st_ino ^ about.st_dev << 40) % kSemaphores;
}

template <class Real>
int operate(const rt::LibraryCall& call, int id, const sembuf* operations, std::size_t count,
            const Real& real) {
  bool raises = false;
  bool waits = false;
  for (std::size_t i = 0; i < count && call; ++i) {
    raises = raises || operations[i].sem_op > 0;
    waits = waits || operations[i].sem_op <= 0;
  }
  if (raises) before(call, name_of(kSemaphores, id));
  const int result = real();
  if (waits && result == 0) after(call, name_of(kSemaphores, id));
  return result;
}

}  // namespace

rt::SyncKey key_of_queue(int queue) {
  return key_of(&keys[inode_name(kQueues, queue) % sizeof keys]);
}

void file_unlocking(const rt::LibraryCall& call, int fd) {
  if (call && rt::watches_processes()) {
    rt::release_named(*call.thread, inode_name(kFileLocks, fd));
  }
}

void file_locked(const rt::LibraryCall& call, int fd) {
  if (call && rt::watches_processes()) {
    rt::acquire_named(*call.thread, inode_name(kFileLocks, fd));
  }
}

REDFLAG_INTERCEPT(int, semop, int id, sembuf* operations, std::size_t count) {
  REDFLAG_CALL(semop);
  return operate(call, id, operations, count,
                 [&] { return REDFLAG_REAL(semop)(id, operations, count); });
}

REDFLAG_INTERCEPT(int, semtimedop, int id, sembuf* operations, std::size_t count,
                  const timespec* most) {
  REDFLAG_CALL(semtimedop);
  return operate(call, id, operations, count,
                 [&] { return REDFLAG_REAL(semtimedop)(id, operations, count, most); });
}

// The last argument is a union of an int and pointers, or is not there: passed on as it is.
REDFLAG_INTERCEPT(int, semctl, int id, int number, int command, void* argument) {
  REDFLAG_CALL(semctl);
  if (command == SETVAL || command == SETALL) before(call, name_of(kSemaphores, id));
  const int result = REDFLAG_REAL(semctl)(id, number, command, argument);
  if (command == GETVAL && result >= 0) after(call, name_of(kSemaphores, id));
  return result;
}

REDFLAG_INTERCEPT(int, msgsnd, int id, const void* message, std::size_t n, int flags) {
  REDFLAG_CALL(msgsnd);
  if (call) rt::read(*call.thread, message, sizeof(long) + n);
  before(call, name_of(kMessages, id));
  return REDFLAG_REAL(msgsnd)(id, message, n, flags);
}

REDFLAG_INTERCEPT(ssize_t, msgrcv, int id, void* message, std::size_t n, long type, int flags) {
  REDFLAG_CALL(msgrcv);
  const ssize_t got = REDFLAG_REAL(msgrcv)(id, message, n, type, flags);
  if (got < 0) return got;
  after(call, name_of(kMessages, id));
  if (call) rt::write(*call.thread, message, sizeof(long) + static_cast<std::size_t>(got));
  return got;
}

#define REDFLAG_UNPACK(...) __VA_ARGS__
#define REDFLAG_MQ_SENDS(name, parameters, arguments)       \
  REDFLAG_INTERCEPT(int, name, REDFLAG_UNPACK parameters) { \
    REDFLAG_CALL(name);                                     \
    if (call) rt::read(*call.thread, message, n);           \
    before(call, inode_name(kQueues, queue));               \
    return REDFLAG_REAL(name) arguments;                    \
  }
#define REDFLAG_MQ_RECEIVES(name, parameters, arguments)                                   \
  REDFLAG_INTERCEPT(ssize_t, name, REDFLAG_UNPACK parameters) {                            \
    REDFLAG_CALL(name);                                                                    \
    const ssize_t got = REDFLAG_REAL(name) arguments;                                      \
    if (got < 0) return got;                                                               \
    after(call, inode_name(kQueues, queue));                                               \
    if (call) rt::write(*call.thread, message, static_cast<std::size_t>(got));             \
    if (call && priority != nullptr) rt::write(*call.thread, priority, sizeof(*priority)); \
    return got;                                                                            \
  }
REDFLAG_MQ_SENDS(mq_send, (mqd_t queue, const char* message, std::size_t n, unsigned priority),
                 (queue, message, n, priority))
REDFLAG_MQ_SENDS(mq_timedsend,
                 (mqd_t queue, const char* message, std::size_t n, unsigned priority,
                  const timespec* until),
                 (queue, message, n, priority, until))
REDFLAG_MQ_RECEIVES(mq_receive, (mqd_t queue, char* message, std::size_t n, unsigned* priority),
                    (queue, message, n, priority))
REDFLAG_MQ_RECEIVES(mq_timedreceive,
                    (mqd_t queue, char* message, std::size_t n, unsigned* priority,
                     const timespec* until),
                    (queue, message, n, priority, until))

REDFLAG_INTERCEPT(int, flock, int fd, int operation) {
  REDFLAG_CALL(flock);
  const bool unlocks = (operation & LOCK_UN) != 0;
  if (unlocks) file_unlocking(call, fd);
  const int result = REDFLAG_REAL(flock)(fd, operation);
  if (result == 0 && !unlocks) file_locked(call, fd);
  return result;
}

#define REDFLAG_LOCKF(name, offset)                               \
  REDFLAG_INTERCEPT(int, name, int fd, int command, offset n) {   \
    REDFLAG_CALL(name);                                           \
    if (command == F_ULOCK) file_unlocking(call, fd);             \
    const int result = REDFLAG_REAL(name)(fd, command, n);        \
    if (result == 0 && command != F_ULOCK) file_locked(call, fd); \
    return result;                                                \
  }
REDFLAG_LOCKF(lockf, off_t)
REDFLAG_LOCKF(lockf64, off64_t)

}  // namespace redflag::interpose
