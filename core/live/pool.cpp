#include "core/live/pool.h"

namespace redflag::live {

void* Arena::map(std::size_t bytes) {
  const std::size_t whole = (bytes + kOsPage - 1) / kOsPage * kOsPage;
  auto* p = static_cast<char*>(os_map(whole));
  auto* m = static_cast<Mapping*>(take(sizeof(Mapping) + sizeof(void*)));
  *reinterpret_cast<void**>(m + 1) = p;
  m->bytes = whole;
  const Guard guard(mappings_lock_);
  m->next = mappings_;
  mappings_ = m;
  return p;
}

void* Arena::take(std::size_t bytes) {
  const std::size_t c = class_of(bytes);
  if (c >= kClasses) {
    in_use_.fetch_add(bytes, std::memory_order_relaxed);
    return map(bytes);
  }
  const std::size_t size = std::size_t{16} << c;
  in_use_.fetch_add(size, std::memory_order_relaxed);
  Class& k = classes_[c];
  const Guard guard(k.lock);
  if (k.free != nullptr) {
    Free* f = k.free;
    k.free = f->next;
    return f;
  }
  if (c >= kAlone) return map(size);
  if (k.bump == nullptr || k.bump + size > k.end) {
    // Every chunk begins with a Mapping, so that destroy() finds it without another allocation.
    const std::size_t chunk = size * 4 > kChunk ? size * 4 : kChunk;
    k.bump = static_cast<char*>(os_map(chunk));
    k.end = k.bump + chunk;
    auto* m = reinterpret_cast<Mapping*>(k.bump);
    m->bytes = chunk | 1;
    {
      const Guard all(mappings_lock_);
      m->next = mappings_;
      mappings_ = m;
    }
    k.bump += (sizeof(Mapping) + size - 1) / size * size;
  }
  char* p = k.bump;
  k.bump += size;
  return p;
}

// The largest are kept mapped, without their memory, until destroy(): nobody gives them back often.
void Arena::give(void* p, std::size_t bytes) {
  const std::size_t c = class_of(bytes);
  if (c >= kClasses) {
    in_use_.fetch_sub(bytes, std::memory_order_relaxed);
    os_discard(p, (bytes + kOsPage - 1) / kOsPage * kOsPage);
    return;
  }
  in_use_.fetch_sub(std::size_t{16} << c, std::memory_order_relaxed);
  if (c >= kAlone) os_discard(p, std::size_t{16} << c);
  Class& k = classes_[c];
  const Guard guard(k.lock);
  auto* f = static_cast<Free*>(p);
  f->next = k.free;
  k.free = f;
}

void Arena::destroy() {
  // First those that stand for themselves: their records are in chunks, which go last.
  Mapping* chunks = nullptr;
  for (Mapping* m = mappings_; m != nullptr;) {
    Mapping* next = m->next;
    if ((m->bytes & 1) != 0) {
      m->next = chunks;
      chunks = m;
    } else {
      os_unmap(*reinterpret_cast<void**>(m + 1), m->bytes);
    }
    m = next;
  }
  while (chunks != nullptr) {
    Mapping* next = chunks->next;
    os_unmap(chunks, chunks->bytes & ~std::size_t{1});
    chunks = next;
  }
  mappings_ = nullptr;
}

}  // namespace redflag::live
