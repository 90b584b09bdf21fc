// ThreadClock: the time of one thread of a job, and what it knows.
//
// Time moves on with each release and each completion, so that what comes behind is told apart from
// what came before. Whoever learns a time knows all that its thread had done by then. What a thread
// knows is shared, unchanged, by all accesses that it issues until it learns something or its time
// moves on.
//
// Where the threads of a rank are followed by the CPU's own detector, its epochs are the counters
// (move_to, learn); else they are counted here.
#pragma once

#include <memory>

#include "core/detect/pgas/knowledge.h"

namespace redflag::pgas {

class ThreadClock {
 public:
  explicit ThreadClock(ThreadName name) : name_(name) { known_.learn(name_, counter_); }

  ThreadName name() const { return name_; }
  Time time() const { return {known_.phase(), counter_}; }
  const Knowledge& known() const { return known_; }

  // What an operation is issued with. Those that follow each other share it.
  std::shared_ptr<const Knowledge> issue() {
    is_under_way_ = true;
    return now();
  }
  // The same for an access that is over at once, at time(). It is not before an operation that was
  // issued before it: so time has moved on between the two.
  std::shared_ptr<const Knowledge> access() {
    if (is_under_way_) move_to(counter_ + 1);
    return now();
  }
  // Operations issued before are over, when this has happened: the time of it.
  Time complete() {
    move_to(counter_ + 1);
    return time();
  }
  // For a message, a lock that is given up: what whoever gets it learns.
  std::shared_ptr<const Knowledge> release() {
    std::shared_ptr<const Knowledge> given = now();
    move_to(counter_ + 1);
    return given;
  }
  void acquire(const Knowledge& other) {
    known_.join(other);
    known_.learn(name_, counter_);  // a phase that was entered by it says nothing of the present
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
    move_to(counter_ + 1);
  }
  void move_to(std::uint64_t counter) {
    counter_ = counter;
    is_under_way_ = false;
    known_.learn(name_, counter_);
    shared_ = nullptr;
  }

 private:
  std::shared_ptr<const Knowledge> now() {
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
