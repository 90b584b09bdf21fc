// One message to the reporter, put together from what the runtime knows.
//
// Stacks, threads with those that made them, locks held, whose memory it is: numbers and program counters
// in the form of wire.h. There is one message at a time, in static memory: whoever builds one holds
// g_report_lock, and threads_lock while it asks for threads and memory.
#pragma once

#include "frontends/cpu/rt/thread.h"
#include "frontends/cpu/wire/wire.h"

namespace redflag::rt {

[[gnu::visibility("hidden")]] extern live::SpinLock g_report_lock;

// The message that was built last.
struct MessageView {
  const wire::Race& race;
  const wire::ThreadRecord* threads;
  const wire::LockRecord* locks;
  const std::uint64_t* words;
};
MessageView last_message();

class MessageBuilder {
 public:
  MessageBuilder();

  wire::Race& race();
  wire::StackRef stack(std::uint32_t context);
  void thread(std::uint32_t number);  // and those that made it
  void held(wire::AccessRecord& a, std::uint32_t lockset);
  bool lock(std::uint64_t id, std::uint32_t& index);
  void memory(std::uint64_t addr);
  wire::Reply send(wire::Kind kind = wire::Kind::kRace);
};

}  // namespace redflag::rt
