#include "core/model/sources.h"

#include <utility>

namespace redflag {

bool Sources::define(SourceId id, Frame frame, SourceId caller) {
  // Ids of callers are smaller than those of their callees, so a chain of callers always ends.
  if (id == kNoSource) return false;
  if (caller != kNoSource && (raw(caller) >= raw(id) || !nodes_.contains(caller))) return false;
  nodes_[id] = Node{std::move(frame), caller};
  return true;
}

void Sources::name_thread(ThreadId thread, std::string name) {
  threads_[thread] = std::move(name);
}

void Sources::name_lock(LockId lock, std::string name) {
  locks_[lock] = std::move(name);
}

void Sources::add_region(Region region) {
  regions_[region.addr] = std::move(region);
}

const Sources::Node* Sources::node(SourceId id) const {
  const auto it = nodes_.find(id);
  return it == nodes_.end() ? nullptr : &it->second;
}

std::vector<Frame> Sources::stack(SourceId id) const {
  std::vector<Frame> frames;
  for (const Node* n = node(id); n != nullptr; n = node(n->caller)) frames.push_back(n->frame);
  return frames;
}

const Region* Sources::region_of(Addr addr) const {
  auto it = regions_.upper_bound(addr);
  if (it == regions_.begin()) return nullptr;
  --it;
  return addr - it->second.addr < it->second.size ? &it->second : nullptr;
}

std::string Sources::thread_name(ThreadId thread) const {
  const auto it = threads_.find(thread);
  return it == threads_.end() ? std::string() : it->second;
}

std::string Sources::lock_name(LockId lock) const {
  const auto it = locks_.find(lock);
  return it == locks_.end() ? std::string() : it->second;
}

}  // namespace redflag
