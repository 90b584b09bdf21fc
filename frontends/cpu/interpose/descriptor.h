// File descriptors as things that order threads and that threads can race on.
//
// Each descriptor has a place of eight bytes in a table of ours. Opening and closing writes the
// place, every use reads it: closing a descriptor that another thread still uses is a race on that
// place, found like any other. Besides, a descriptor may have a key: what is written to it happens
// before what is read from it. Which descriptors share a key follows ThreadSanitizer:
//
//   pipe, socketpair   both ends share one of their own
//   other sockets      one for all: the two ends of a connection cannot be matched
//   files              one for all: the same file may be open twice
//   eventfd, epoll     one of their own; what is written to a watched descriptor counts for both
//   timerfd, signalfd, inotify, inherited ones: none
//
// A number that is given out again orders too, among files that are opened, and among connections
// that are accepted: the close that gave it back happens before the call that returns it. The
// kernel lets nobody have a number before it was given back, and programs count on it: tables of
// connections are indexed by descriptor, and their entries pass from the thread that closes to the
// thread that accepts. As with a lock, the order may be one of chance: threads that open and close
// files all the time are ordered by it in passing. Numbers that pass from one sort to another order
// nothing.
//
// Processes that share memory (rt/between.h) know the same by names: a pipe by its inode, other
// pairs and eventfds by a number that forked processes inherit, all files and all sockets by one
// name each. Closing a pipe or a socket, also by ending, tells whoever reads its end.
#pragma once

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {

enum class DescriptorKind { kFile, kSocket, kConnection, kOwn, kSilent };  // connection: accepted

// `again`: it was open before, and is something else now (a connection).
void fd_opened(const rt::LibraryCall& call, int fd, DescriptorKind kind, bool again = false);
void fd_pair_opened(const rt::LibraryCall& call, int a, int b);
// `replaces`: a descriptor that others use may be replaced under their hands (dup2); that alone is
// no fault.
void fd_copied(const rt::LibraryCall& call, int from, int to, bool replaces = false);
void fd_closing(const rt::LibraryCall& call, int fd);
// Used in a way that orders nothing; read from; about to be written to.
void fd_used(const rt::LibraryCall& call, int fd);
void fd_read(const rt::LibraryCall& call, int fd);
void fd_writing(const rt::LibraryCall& call, int fd);
// `poll` is told of writes to `fd` from now on.
void fd_watched(const rt::LibraryCall& call, int poll, int fd);

// The ends of a new connection meet here: connect happens before accept.
void connecting(const rt::LibraryCall& call);
void accepted(const rt::LibraryCall& call);

}  // namespace redflag::interpose
