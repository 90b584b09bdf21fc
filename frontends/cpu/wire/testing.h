// A race message as a runtime would send it, for tests of the receiving end.
//
// Main (0) and worker (1, made by main) write the global at `addr`; the worker holds a mutex
// exclusively and a read-write lock for reading. Program counters are small numbers.
#pragma once

#include <cstring>
#include <initializer_list>

#include "core/model/race.h"
#include "frontends/cpu/wire/decode.h"

namespace redflag::wire::testing {

inline StackRef add_stack(RaceMessage& message, std::initializer_list<std::uint64_t> pcs) {
  const StackRef ref{static_cast<std::uint32_t>(message.words.size()),
                     static_cast<std::uint32_t>(pcs.size())};
  for (const std::uint64_t pc : pcs)
    message.words.push_back(pc);  // g++-12 warns falsely at insert()
  return ref;
}

inline RaceMessage two_writes(std::uint64_t addr = 0x5000) {
  RaceMessage m;
  m.race.rule = static_cast<std::uint32_t>(Rule::kWriteWrite);
  m.race.addr = addr;
  m.race.size = 4;
  ThreadRecord main;
  main.running = 1;
  main.tid = 100;
  ThreadRecord worker;
  worker.number = 1;
  worker.parent = 0;
  worker.tid = 101;
  worker.created = add_stack(m, {0x1100 | kExactPc, 0x1200});
  std::strcpy(worker.name, "worker");
  m.threads = {main, worker};
  LockRecord mutex;
  mutex.id = 7;
  mutex.addr = 0x6000;
  mutex.created = add_stack(m, {0x1300 | kExactPc, 0x1400});
  LockRecord shared;
  shared.id = 9;
  shared.addr = 0x6100;
  shared.read_write = 1;
  m.locks = {mutex, shared};
  HeldRecord first_held;
  first_held.acquired = add_stack(m, {0x1500 | kExactPc, 0x1600});
  HeldRecord second_held;
  second_held.lock = 1;
  second_held.shared = 1;
  m.helds = {first_held, second_held};
  AccessRecord& first = m.race.first;
  first.addr = addr;
  first.size = 4;
  first.thread = 1;
  first.clock = 12;
  first.kind = static_cast<std::uint8_t>(EventKind::kWrite);
  first.held = 2;
  first.stack = add_stack(m, {0x1700, 0x1800});
  AccessRecord& second = m.race.second;
  second.addr = addr;
  second.size = 4;
  second.thread = 0;
  second.clock = 3;
  second.kind = static_cast<std::uint8_t>(EventKind::kWrite);
  second.stack = add_stack(m, {0x1900});
  return m;
}

}  // namespace redflag::wire::testing
