// What others ask of ipc.cpp: locks of files, for fcntl (file.cpp), and queues, for mq_notify
// (notify.cpp).
#pragma once

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {

// About to give up a lock of the file, or some of it; it has one.
void file_unlocking(const rt::LibraryCall& call, int fd);
void file_locked(const rt::LibraryCall& call, int fd);
// What is sent to a POSIX message queue is released to it.
rt::SyncKey key_of_queue(int queue);

}  // namespace redflag::interpose
