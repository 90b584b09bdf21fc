// Locks of files, for fcntl (file.cpp), which has other things to do too.
#pragma once

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {

// About to give up a lock of the file, or some of it; it has one.
void file_unlocking(const rt::LibraryCall& call, int fd);
void file_locked(const rt::LibraryCall& call, int fd);

}  // namespace redflag::interpose
