// compact's hooks of kernels that only store where threads may meet: flat cells (core/detect/gpu/compact/flat.h).
//
// The rewriter puts the exchange of the cell in place (rewrite/flat.h); these are called at the kernel's begin,
// and where a store found another one of the same launch. They know nothing of Block: such a kernel may have none. Part of
// the translation unit of compact.cu.
#include "frontends/cuda/device/compact_order.h"

namespace redflag::device::compact {
namespace {

using gpu::compact::Flat;
using gpu::compact::FlatMeeting;

struct FlatContext {
  uint64_t table;
  uint64_t cell;
};

REDFLAG_SLOW void tell_flat(uint64_t address, uint32_t site, uint32_t packed, Flat before,
                            Flat mine, uint64_t launch, uint32_t first_site, uint32_t flags) {
  State& s = *reinterpret_cast<State*>(redflag_state);
  const Epoch at{before.block(), before.thread() / 32, before.thread() % 32, 0};
  const Word word = Word::of(Kind::kPlain, 15, first_site + before.site(), at);
  RaceRecord race{};
  race.address = address;
  race.first = word.bits;
  race.block = block_in_grid();
  race.launch = static_cast<uint32_t>(launch);
  race.warp = mine.thread() / 32;
  race.lane = mine.thread() % 32;
  race.site = site;
  race.what = packed;
  race.flags = flags | kFirstWrote;
  tell_record(s, race);
}

}  // namespace
}  // namespace redflag::device::compact

extern "C" __attribute__((device, noinline, used)) FlatContext redflag_flat_enter(uint64_t launch) {
  FlatContext made{0, 0};
  const auto stamp = static_cast<uint32_t>(launch >> kStampAt & kStampMask);
  if ((launch & kNotChecked) != 0 || redflag_state == 0 || stamp == 0) return made;
  const State& s = *reinterpret_cast<const State*>(redflag_state);
  made.table = s.flat_pages;
  made.cell = Flat::of(stamp, static_cast<uint32_t>(block_in_grid()), thread_in_block()).bits;
  return made;
}

// Lanes that store together, one of which found another write of the launch.
REDFLAG_HOOK redflag_flat_met(uint64_t address, uint32_t number, uint32_t packed, uint64_t value,
                              uint64_t before_bits, uint64_t mine_bits, uint32_t first_site,
                              uint64_t launch) {
  const uint32_t active = active_mask();
  const Flat before{before_bits}, mine{mine_bits};
  const FlatMeeting meeting = before.meets(mine, active);
  const uint32_t other = before.thread() % 32;
  const bool is_together = meeting == FlatMeeting::kTogether;
  // What that lane stores now, if it is here.
  const uint32_t from = is_together ? other : lane();
  const bool is_same_place = shuffle(active, address, from) == address;
  const bool is_same_value = shuffle(active, value, from) == value;
  if (meeting == FlatMeeting::kRace) {
    tell_flat(address, first_site + number, packed, before, mine, launch, first_site, 0);
  } else if (is_together && is_same_place && !is_same_value) {
    tell_flat(address, first_site + number, packed, before, mine, launch, first_site,
              kOneInstruction);
  }
}

// By a thread that has passed more barriers than cells can tell.
REDFLAG_HOOK redflag_flat_late() {
  State& s = *reinterpret_cast<State*>(redflag_state);
  if (thread_in_block() == 0) atomic_add(&s.out_of_time, uint64_t{1});
}
