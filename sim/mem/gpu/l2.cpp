#include "sim/mem/gpu/l2.h"

#include <algorithm>

namespace redflag::sim {
namespace {

constexpr unsigned kChunkLines = 2;  // 256 bytes

}  // namespace

L2::L2(const GpuMachine& machine) : machine_(machine), dram_(machine) {
  const CacheShape shape{
      .bytes = std::uint64_t{machine.l2_sets()} * machine.l2_ways * kGpuLineBytes,
      .ways = machine.l2_ways,
      .line_bytes = kGpuLineBytes};
  for (std::uint32_t i = 0; i < machine.banks(); ++i) banks_.emplace_back(shape, machine.l2_queue);
}

L2::Place L2::place_of(std::uint64_t line) const {
  const std::uint64_t chunk = line / kChunkLines;
  const auto channel = static_cast<std::uint32_t>(chunk % machine_.channels);
  const std::uint64_t own = chunk / machine_.channels;  // of the channel
  const std::uint64_t within = line % kChunkLines;
  const auto bank = static_cast<std::uint32_t>(own % machine_.banks_per_channel);
  return {channel, channel * machine_.banks_per_channel + bank, own * kChunkLines + within,
          own / machine_.banks_per_channel * kChunkLines + within};
}

std::uint64_t L2::channel_line(std::uint32_t bank, std::uint64_t in_bank) const {
  const std::uint64_t own =
      in_bank / kChunkLines * machine_.banks_per_channel + bank % machine_.banks_per_channel;
  return own * kChunkLines + in_bank % kChunkLines;
}

L2::Done L2::access(std::uint64_t line, std::uint32_t bytes, L2Use use, Traffic traffic, Cycle at) {
  const Place place = place_of(line);
  Bank& bank = banks_[place.bank];
  L2Counts& mine = own(traffic);
  ++mine.accesses;
  const Cycle once = (bytes + machine_.l2_port_bytes - 1) / machine_.l2_port_bytes;
  const Cycle admitted = bank.queue.admit(at);
  const Cycle begin = bank.port.reserve(admitted, use == L2Use::kUpdate ? 2 * once : once);
  bank.queue.leave(begin);
  const Cycle answer = begin + machine_.l2_latency;

  const std::uint64_t address = place.in_bank << kLineBits;
  if (Line* const hit = bank.tags.lookup(address)) {
    if (use != L2Use::kRead) hit->dirty = true;
    return {admitted, std::max(answer, hit->ready)};
  }
  ++mine.misses;
  if (use == L2Use::kWrite) {
    ++mine.dram_writes;
    (void)dram_.access(place.channel, place.in_channel, bytes, answer + machine_.dram_latency / 2);
    return {admitted, answer};
  }
  ++mine.dram_reads;
  Line made;
  made.dirty = use == L2Use::kUpdate;
  made.traffic = traffic;
  made.ready = dram_.access(place.channel, place.in_channel, kGpuLineBytes,
                            answer + machine_.dram_latency / 2) +
               machine_.dram_latency / 2;
  Cache<Line>::Line victim;
  if (bank.tags.insert(address, made, victim) && victim.payload.dirty) {
    ++own(victim.payload.traffic).dram_writes;
    (void)dram_.access(place.channel, channel_line(place.bank, victim.address >> kLineBits),
                       kGpuLineBytes, answer + machine_.dram_latency / 2);
  }
  return {admitted, made.ready};
}

void L2::flush() {
  std::vector<std::uint64_t> lines;
  for (Bank& bank : banks_) {
    lines.clear();
    bank.tags.for_each([&](std::uint64_t address, const Line& line) {
      lines.push_back(address);
      if (line.dirty) ++own(line.traffic).dram_writes;
    });
    for (const std::uint64_t address : lines) bank.tags.invalidate(address);
  }
}

}  // namespace redflag::sim
