#include "frontends/cuda/device/compact_scan.h"

#include <algorithm>
#include <vector>

namespace redflag::device::compact {

using gpu::compact::Kind;
using gpu::compact::kLineBytes;
using gpu::compact::kLineWords;
using gpu::compact::Others;
using gpu::compact::Word;

namespace {

constexpr std::uint64_t kPage = std::uint64_t{1} << kPageBits;

class Visitor {
 public:
  Visitor(const Scan& what, std::uint64_t from, std::uint64_t end, std::uint64_t launches,
          const std::function<void(const ScannedWord&)>& visit)
      : what_(what), from_(from), end_(end), launches_(launches), visit_(visit) {}

  void line(const Line& line, std::uint64_t address) {
    const Others others = line.others;
    if ((launches_ >> others.launch() & 1) != 0) {
      const Word word = Word::of(Kind::kGridReaders, 15, line.others_site, {});
      each(others.words(), address, others.launch(), [&](unsigned) { return word; }, false);
    }
    const gpu::compact::Owner owner = line.owner;
    const std::uint32_t map = owner.map_bits();
    if (owner.bits == 0 || map == gpu::compact::kBusy || (launches_ >> owner.launch() & 1) == 0) {
      return;
    }
    if (map == gpu::compact::kCells) return cells(line.reads, address, owner.launch());
    each(
        line.writes, address, owner.launch(),
        [&](unsigned i) {
          return Word::of(Kind::kPlain, 15, line.write_site, owner.epoch(i, true));
        },
        true);
    each(
        line.reads, address, owner.launch(),
        [&](unsigned i) {
          return Word::of(Kind::kPlain, 15, line.read_site, owner.epoch(i, false));
        },
        false);
  }

 private:
  template <typename F>
  void each(std::uint32_t words, std::uint64_t address, std::uint32_t launch, F word, bool wrote) {
    for (unsigned i = 0; i < kLineWords; ++i) {
      const std::uint64_t at = address + std::uint64_t{i} * gpu::compact::kUnit;
      if ((words >> i & 1) == 0 || at + gpu::compact::kUnit <= from_ || at >= end_) continue;
      visit_({at, launch, word(i), wrote});
    }
  }
  void cells(std::uint32_t chunk, std::uint64_t address, std::uint32_t launch) {
    if (chunk >= what_.chunk_count) return;
    Cell all[kLineWords];
    what_.memory.read(what_.chunks + std::uint64_t{chunk} * kChunkBytes,
                      std::as_writable_bytes(std::span(all)));
    std::uint32_t written = 0, read = 0;
    for (unsigned i = 0; i < kLineWords; ++i) {
      written |= std::uint32_t{static_cast<bool>(all[i].write)} << i;
      read |= std::uint32_t{static_cast<bool>(all[i].read)} << i;
    }
    each(written, address, launch, [&](unsigned i) { return all[i].write; }, true);
    each(read, address, launch, [&](unsigned i) { return all[i].read; }, false);
  }

  const Scan& what_;
  std::uint64_t from_, end_, launches_;
  const std::function<void(const ScannedWord&)>& visit_;
};

}  // namespace

void scan(const Scan& what, std::uint64_t from, std::uint64_t end, std::uint64_t launches,
          const std::function<void(const ScannedWord&)>& visit) {
  Visitor visitor(what, from, end, launches, visit);
  std::vector<Line> lines;
  for (std::uint64_t page = from / kPage * kPage; page < end; page += kPage) {
    const std::uint64_t table = what.lines_of(page);
    if (table == 0) continue;
    const std::uint64_t first = std::max(from, page) / kLineBytes * kLineBytes;
    const std::uint64_t last = std::min(end, page + kPage);
    lines.resize((last - first + kLineBytes - 1) / kLineBytes);
    what.memory.read(table + (first - page) / kLineBytes * sizeof(Line),
                     std::as_writable_bytes(std::span(lines)));
    for (std::size_t i = 0; i < lines.size(); ++i) visitor.line(lines[i], first + i * kLineBytes);
  }
}

}  // namespace redflag::device::compact
