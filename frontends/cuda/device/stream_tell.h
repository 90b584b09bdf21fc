// stream.cu, the part below the hooks: lanes that call together, records in the queue, locks.
#pragma once

#include "core/model/gpu.h"
#include "frontends/cuda/device/intrinsics.h"
#include "frontends/cuda/device/stream_ring.h"

namespace redflag::device {

static_assert(kSharedMark == gpu::kSharedTag && kRankBit == gpu::kSharedBits);

extern "C" {
REDFLAG_GLOBAL std::uint64_t redflag_state = 0;
// The launch's number, the same for all threads of the block: each writes it before it reads it.
REDFLAG_SHARED std::uint32_t redflag_block;
// Of each warp, what it last read that may be waited for, and how often: 24 and 8 bits.
REDFLAG_SHARED std::uint32_t redflag_polls[32];
}

// What the lanes that called a hook together know.
struct Call {
  StreamState* state;
  std::uint32_t mask;   // who calls
  std::uint32_t lanes;  // of those, who has something to tell
};

REDFLAG_DEVICE bool begin(Call& call) {
  call.state = reinterpret_cast<StreamState*>(redflag_state);
  if (call.state == nullptr || redflag_block == 0) return false;
  call.lanes = call.mask = active_mask();
  return true;
}

// One value for each lane, in the fewest words.
struct Column {
  std::uint64_t value = 0;
  std::uint32_t words = 0;
  Form form = Form::kNone;
};
REDFLAG_DEVICE Column column(const Call& call, std::uint64_t value, std::uint32_t step) {
  const std::uint32_t leader = first(call.lanes);
  const bool mine = (call.lanes >> lane() & 1) != 0;
  const std::uint64_t base = shuffle(call.mask, value, leader);
  if (all(call.mask, !mine || value == base)) return {value, 1, Form::kEqual};
  const std::uint64_t next = base + std::uint64_t{lane() - leader} * step;
  if (step != 0 && all(call.mask, !mine || value == next)) return {value, 1, Form::kConsecutive};
  return {value, count(call.lanes), Form::kEach};
}

// The number of the first of `words` words that are now the caller's: its place in the order of all
// events. One lane.
REDFLAG_DEVICE std::uint64_t take_ticket(StreamState* state, std::uint32_t words) {
  return atomic_add(&state->ticket, std::uint64_t{words});
}
// Until the words may be written. One lane.
REDFLAG_DEVICE void wait_for_room(StreamState* state, std::uint64_t at, std::uint32_t words) {
  const std::uint64_t room = state->word_mask + 1;
  std::uint64_t passed = load_relaxed<Reach::kDevice>(&state->seen_passed);
  std::uint32_t wait = 64;
  while (at + words - passed > room) {
    passed = load_acquire<Reach::kSystem>(reinterpret_cast<const std::uint64_t*>(state->passed));
    if (at + words - passed <= room) {
      atomic_max(&state->seen_passed, passed);
      break;
    }
    sleep_ns(wait);
    if (wait < 16384) wait *= 2;
  }
  // The reader's zeros are before what is written now, also when another warp saw that it has passed.
  fence<Reach::kSystem>();
}

REDFLAG_DEVICE void put(const StreamState* state, std::uint64_t at, std::uint64_t word) {
  reinterpret_cast<std::uint64_t*>(state->ring)[at & state->word_mask] = word;
}

struct Columns {
  Column addresses, sources, values;
  REDFLAG_DEVICE std::uint32_t words() const {  // of the record
    return kHeadWords + addresses.words + sources.words + values.words;
  }
};

// The record whose ticket is `at`.
REDFLAG_DEVICE void write(const Call& call, std::uint64_t at, Hook hook, std::uint32_t site,
                          std::uint32_t what, std::uint32_t argument, const Columns& columns) {
  const std::uint32_t words = columns.words();
  const std::uint32_t leader = first(call.lanes);
  const bool leads = lane() == leader;
  if (leads) wait_for_room(call.state, at, words);
  sync_warp(call.mask);
  if ((call.lanes >> lane() & 1) != 0) {
    std::uint64_t to = at + kHeadWords;
    const std::uint32_t rank = count(call.lanes & lanes_below());
    for (const Column* each : {&columns.addresses, &columns.sources, &columns.values}) {
      if (each->words == 0) continue;
      if (each->form == Form::kEach) {
        put(call.state, to + rank, each->value);
      } else if (leads) {
        put(call.state, to, each->value);
      }
      to += each->words;
    }
  }
  if (leads) {
    put(call.state, at + 1, std::uint64_t{site} | std::uint64_t{what} << 32);
    put(call.state, at + 2, block_in_grid());
    put(call.state, at + 3, std::uint64_t{redflag_block} | std::uint64_t{argument} << 32);
  }
  sync_warp(call.mask);
  if (leads) {
    RecordHead head;
    head.hook = hook;
    head.addresses = columns.addresses.form;
    head.sources = columns.sources.form;
    head.values = columns.values.form;
    head.words = static_cast<std::uint8_t>(words);
    head.warp = static_cast<std::uint8_t>(thread_in_block() / 32);
    head.lanes = call.lanes;
    fence<Reach::kSystem>();
    store_release<Reach::kSystem>(
        reinterpret_cast<std::uint64_t*>(call.state->ring) + (at & call.state->word_mask),
        head.packed());
  }
  sync_warp(call.mask);
}
// Of the lanes: a ticket that their first one takes.
REDFLAG_DEVICE std::uint64_t ticket_of(const Call& call, std::uint32_t words) {
  std::uint64_t at = 0;
  const std::uint32_t leader = first(call.lanes);
  if (lane() == leader) at = take_ticket(call.state, words);
  return shuffle(call.mask, at, leader);
}
REDFLAG_DEVICE void tell(const Call& call, Hook hook, std::uint32_t site, std::uint32_t what,
                         std::uint32_t argument, const Columns& columns) {
  write(call, ticket_of(call, columns.words()), hook, site, what, argument, columns);
}
REDFLAG_DEVICE void tell(const Call& call, Hook hook, std::uint32_t site, std::uint32_t what,
                         std::uint32_t argument) {
  tell(call, hook, site, what, argument, {});
}

// An address as records have it. False: of memory that no other thread sees.
REDFLAG_DEVICE bool marked(std::uint64_t address, Memory memory, std::uint64_t& out) {
  out = address;
  if (memory == Memory::kGlobal) return true;
  if (memory == Memory::kShared) {
    out = kSharedMark | (address & kOffsetMask);
    return true;
  }
  if constexpr (kClusters) {
    if (memory == Memory::kSharedCluster) {
      const auto within = static_cast<std::uint32_t>(address);
      out =
          kSharedMark | std::uint64_t{owner_rank(within) + 1} << kRankBit | (address & kOffsetMask);
      return true;
    }
    if (in_cluster_shared(address) && !in_shared(address)) {
      const std::uint32_t within = to_cluster_shared(address);
      out =
          kSharedMark | std::uint64_t{owner_rank(within) + 1} << kRankBit | (within & kOffsetMask);
      return true;
    }
  }
  if (in_shared(address)) out = kSharedMark | (to_shared(address) & kOffsetMask);
  return !in_local(address);
}

// Of a hook with an address. False: no lane has anything to tell.
REDFLAG_DEVICE bool begin(Call& call, std::uint64_t& address, std::uint32_t what) {
  if (!begin(call)) return false;
  const bool told = marked(address, What::of(what).memory, address);
  call.lanes = ballot(call.mask, told);
  return call.lanes != 0;
}

// For lanes of one site, site by site.
template <typename Told>
REDFLAG_DEVICE void by_site(const Call& call, std::uint32_t site, std::uint32_t what, Told told) {
  for (std::uint32_t rest = call.lanes; rest != 0;) {
    const std::uint32_t leader = first(rest);
    const std::uint32_t one = shuffle(call.mask, site, leader);
    const Call part{call.state, call.mask, rest & ballot(call.mask, site == one)};
    told(part, one, shuffle(call.mask, what, leader));
    rest &= ~part.lanes;
  }
}
REDFLAG_DEVICE void tell_by_site(const Call& call, Hook hook, std::uint32_t site,
                                 std::uint32_t what, std::uint32_t argument) {
  by_site(call, site, what, [&](const Call& part, std::uint32_t one, std::uint32_t what_of_it) {
    const std::uint32_t argument_of_it = shuffle(call.mask, argument, first(part.lanes));
    tell(part, hook, one, what_of_it, argument_of_it);
  });
}

// Locks of the calling lanes' addresses, as bits.
REDFLAG_DEVICE std::uint64_t locks_of(const Call& call, std::uint64_t address) {
  // Accesses that have a byte in common have the same 32 bytes, and the same lock.
  std::uint64_t key = address >> 5;
  if ((address & kSharedMark) != 0) key += block_in_grid() << 17;
  const std::uint32_t mine = static_cast<std::uint32_t>(key * 0x9e3779b97f4a7c15ULL >> 58);
  std::uint64_t set = 0;
  for (std::uint32_t rest = call.lanes; rest != 0;) {
    const std::uint32_t one = shuffle(call.mask, mine, first(rest));
    set |= std::uint64_t{1} << one;
    rest &= ~ballot(call.mask, mine == one);
  }
  return set;
}
REDFLAG_DEVICE void lock(const Call& call, std::uint64_t set) {
  if (lane() == first(call.lanes)) {
    std::uint32_t wait = 16;
    while (true) {
      const std::uint64_t held = load_relaxed<Reach::kDevice>(&call.state->locks);
      if ((held & set) == 0 && compare_swap(&call.state->locks, held, held | set) == held) break;
      sleep_ns(wait);
      if (wait < 1024) wait *= 2;
    }
    fence<Reach::kDevice>();
  }
  sync_warp(call.mask);
}
REDFLAG_DEVICE void unlock(const Call& call, std::uint64_t set) {
  sync_warp(call.mask);
  if (lane() == first(call.lanes)) {
    fence<Reach::kDevice>();
    atomic_and(&call.state->locks, ~set);
  }
}

// The value is needed of what may take or give back a lock, or writes it as it is.
REDFLAG_DEVICE bool has_value(What what) {
  return what.deed == Deed::kWrite || what.deed == Deed::kAtomicStore ||
         what.rmw == Rmw::kExchange || what.rmw == Rmw::kCompareSwap;
}

// A warp that looks at one place again and again waits for somebody: each look is a record, and those of
// all who wait would fill the queue. So it rests between them, longer and longer, up to 16 us.
REDFLAG_DEVICE void rest_if_polling(const Call& call, std::uint64_t address, std::uint32_t site,
                                    What what) {
  const bool looks =
      what.deed == Deed::kRead || what.deed == Deed::kAtomicLoad || what.rmw == Rmw::kCompareSwap;
  if (looks && lane() == first(call.lanes)) {
    std::uint32_t* const last = &redflag_polls[thread_in_block() / 32];
    const std::uint64_t mixed = (address + site) * 0x9e3779b97f4a7c15ULL;
    const auto key = static_cast<std::uint32_t>(mixed >> 40);
    const std::uint32_t before = load_relaxed<Reach::kBlock>(last);
    const std::uint32_t times = before >> 8 == key ? before & 0xff : 0;
    if (times > 3) sleep_ns(times < 12 ? 4U << times : 16384U);
    store_relaxed<Reach::kBlock>(last, key << 8 | (times < 255 ? times + 1 : times));
  }
  sync_warp(call.mask);
}

}  // namespace redflag::device
