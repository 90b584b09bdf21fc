// decode_race: bytes of a kRace message as a RaceMessage, or what is wrong with them.
//
// The bytes come from the program under test, which may have overwritten its own runtime a moment
// before: they are checked as a stranger's would be. A RaceMessage that was decoded is consistent:
// sizes fit, every StackRef lies within the words, every index names a record, names end, enums
// have values that exist, the later access's thread is among the threads and the earlier one's too
// if it is known. Its users index without looking again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "frontends/cpu/wire/wire.h"

namespace redflag::wire {

struct RaceMessage {
  Race race;
  std::vector<ThreadRecord> threads;
  std::vector<LockRecord> locks;
  std::vector<HeldRecord> helds;
  std::vector<std::uint64_t> words;

  std::span<const std::uint64_t> stack(const StackRef& ref) const {
    return std::span(words).subspan(ref.first, ref.count);
  }
  std::span<const HeldRecord> held(const AccessRecord& access) const {
    return std::span(helds).subspan(access.first_held, access.held);
  }
  const ThreadRecord* thread(std::uint32_t number) const;  // nullptr: not told
};

Result<RaceMessage> decode_race(std::span<const std::byte> bytes);
// Half a meeting (kMet): `second` is the access of who tells, met_side which of them; there is no
// `first`.
Result<RaceMessage> decode_met(std::span<const std::byte> bytes);
// Refuses other versions of the protocol.
Result<Hello> decode_hello(std::span<const std::byte> bytes);
Result<Bye> decode_bye(std::span<const std::byte> bytes);

std::string_view name_of(const ThreadRecord& thread);  // empty: it has none

// The bytes of a message, for runtimes' tests and ours. Sets the counts of the race.
std::vector<std::byte> encode_race(RaceMessage message);

}  // namespace redflag::wire
