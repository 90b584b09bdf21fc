// ThreadClock: the time of one thread of a job, and what it knows.
//
// Time moves on with each release and each completion, so that what comes behind is told apart from
// what came before. Whoever learns a time knows all that its thread had done by then. What a thread
// knows of the others is shared, unchanged, by all accesses that it issues until it learns something.
//
// Where the threads of a rank are followed by the CPU's own detector, its epochs are the counters
// (move_to, learn); else they are counted here.
#pragma once

#include <memory>

#include "core/detect/pgas/knowledge.h"

namespace redflag::pgas {

class ThreadClock {
 public:
  explicit ThreadClock(ThreadName name) : name_(name) {}

  ThreadName name() const { return name_; }
  Time time() const { return {known_.phase(), counter_}; }
  const Knowledge& known() const { return known_; }  // of the others
  bool is_under_way() const { return is_under_way_; }

  // What an operation is issued with, at time(). Those that follow each other share it; valid until something
  // is learned.
  const std::shared_ptr<const Knowledge>& issue() {
    is_under_way_ = true;
    return now();
  }
  // The same for an access that is over at once. It is not before an operation that was issued before
  // it: so time has moved on between the two.
  const std::shared_ptr<const Knowledge>& access() {
    if (is_under_way_) move_to(counter_ + 1);
    return now();
  }
  // Operations issued before are over, when this has happened: the time of it.
  Time complete() {
    move_to(counter_ + 1);
    return time();
  }
  // What others learn from it.
  Knowledge told() const {
    Knowledge all = known_;
    all.learn(name_, counter_);
    all.hold_none();
    return all;
  }
  // For a message, a lock that is given up: what whoever gets it learns.
  std::shared_ptr<const Knowledge> release() {
    auto given = std::make_shared<const Knowledge>(told());
    move_to(counter_ + 1);
    return given;
  }
  void acquire(const Knowledge& other) {
    known_.join(other);
    shared_ = nullptr;
  }
  void acquire_by_lock(const Knowledge& other) {
    known_.join_by_lock(other);
    shared_ = nullptr;
  }
  void hold(const RankLock& lock) {
    known_.hold(lock);
    shared_ = nullptr;
  }
  void let_go(const RankLock& lock) {
    known_.let_go(lock);
    shared_ = nullptr;
  }
  // Another thread of the same rank, by what orders threads.
  void learn(ThreadName thread, std::uint64_t counter) {
    if (known_.counter_of(thread) >= counter) return;
    known_.learn(thread, counter);
    shared_ = nullptr;
  }
  // Behind a barrier of all.
  void enter(std::uint32_t phase, std::vector<ThreadName> exceptions = {}) {
    known_.enter(phase, std::move(exceptions));
    shared_ = nullptr;
    move_to(counter_ + 1);
  }
  void move_to(std::uint64_t counter) {
    counter_ = counter;
    is_under_way_ = false;
  }

 private:
  const std::shared_ptr<const Knowledge>& now() {
    if (shared_ == nullptr) shared_ = std::make_shared<const Knowledge>(known_);
    return shared_;
  }

  ThreadName name_;
  std::uint64_t counter_ = 1;  // nobody knows it yet
  bool is_under_way_ = false;  // an operation was issued at this time
  Knowledge known_;
  std::shared_ptr<const Knowledge> shared_;
};

}  // namespace redflag::pgas
