#include "core/live/columns.h"

namespace redflag::live {

namespace {
constexpr std::uint64_t kFirstCapacity = 16;
}

Column::Table* Column::new_table(Arena& arena, std::uint64_t capacity) {
  const std::size_t bytes = sizeof(Table) + (capacity - 1) * sizeof(Place);
  auto* table = static_cast<Table*>(arena.take(bytes));
  os_zero(table, bytes);
  table->mask = capacity - 1;
  return table;
}

void Column::insert(Table& table, std::uint64_t key, Chunk* chunk) {
  std::uint64_t i = hash(key);
  while (table.place[i & table.mask].key.load(std::memory_order_relaxed) != 0) ++i;
  Place& place = table.place[i & table.mask];
  place.chunk = chunk;
  place.key.store(key, std::memory_order_release);
}

ColumnEntry& Column::make(Arena& arena, std::uint64_t addr) {
  if (ColumnEntry* known = find(addr); known != nullptr) return *known;
  Table* table = table_.load(std::memory_order_relaxed);
  if (table == nullptr || (std::uint64_t{count_} + 1) * 2 > table->mask) {
    Table* wider = new_table(arena, table == nullptr ? kFirstCapacity : (table->mask + 1) * 2);
    wider->older = table;
    for_each([wider](std::uint64_t first, Chunk& chunk) {
      insert(*wider, first >> kChunkShift, &chunk);
    });
    table = wider;
    table_.store(wider, std::memory_order_release);
  }
  auto* chunk = static_cast<Chunk*>(arena.take(sizeof(Chunk)));
  os_zero(chunk, sizeof(Chunk));
  insert(*table, addr >> kChunkShift, chunk);
  ++count_;
  return chunk->entry[addr / 8 % kChunkEntries];
}

}  // namespace redflag::live
