#include "frontends/cuda/device/images.h"

#include <algorithm>
#include <span>

namespace redflag::device {
namespace {

constexpr std::size_t kFewest = 64;

}  // namespace

Images::~Images() {
  for (const std::uint64_t each : tables_) memory_.free(each);
}

void Images::begin(std::uint64_t where) {
  where_ = where;
  if (!objects_.empty() && !grow()) lost_ += objects_.size();
}

void Images::add(std::uint64_t handle, const cuda::Texture& object) {
  if (handle == 0 || handle == kGoneImage) return;
  objects_[{handle, object.is_surface}] = object;
  if (where_ == 0) return;
  if (2 * (used_ + 1) > entries_.size()) {
    if (!grow()) ++lost_;
    return;  // it is among those that were written
  }
  put(handle, object);
}

void Images::remove(std::uint64_t handle, bool is_surface) {
  if (objects_.erase({handle, is_surface}) == 0) return;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!is_image(entries_[i], handle, is_surface)) continue;
    entries_[i].handle = kGoneImage;
    write(i);
  }
}

bool Images::reads(std::uint64_t begin, std::uint64_t end) const {
  return std::any_of(objects_.begin(), objects_.end(), [&](const auto& each) {
    const cuda::Image& image = each.second.image;
    return !each.second.is_surface && image.address < end && begin < image.address + image.bytes();
  });
}

// In the place of one that is gone, if there is such a place on the way.
void Images::put(std::uint64_t handle, const cuda::Texture& object) {
  const std::uint64_t mask = entries_.size() - 1;
  std::uint64_t slot = image_slot(handle) & mask, gone = entries_.size();
  while (entries_[slot].handle != 0 && !is_image(entries_[slot], handle, object.is_surface)) {
    if (entries_[slot].handle == kGoneImage && gone == entries_.size()) gone = slot;
    slot = (slot + 1) & mask;
  }
  if (entries_[slot].handle == 0) {
    if (gone != entries_.size()) {
      slot = gone;
    } else {
      ++used_;
    }
  }
  entries_[slot] = {handle, object};
  if (table_ != 0) write(slot);
}

void Images::write(std::uint64_t slot) {
  memory_.write(table_ + sizeof(ImageTableHead) + slot * sizeof(ImageEntry),
                std::as_bytes(std::span(&entries_[slot], 1)));
}

// With twice the room; marks of what is gone are left out.
bool Images::grow() {
  std::size_t count = kFewest;
  while (count < 4 * objects_.size()) count *= 2;
  const Result<std::uint64_t> made =
      memory_.allocate(sizeof(ImageTableHead) + count * sizeof(ImageEntry));
  if (!made) return false;
  entries_.assign(count, {});
  used_ = 0;
  table_ = 0;
  for (const auto& [key, object] : objects_) put(key.first, object);
  table_ = *made;
  tables_.push_back(table_);
  const ImageTableHead head{count - 1, 0};
  memory_.write(table_, std::as_bytes(std::span(&head, 1)));
  memory_.write(table_ + sizeof(head), std::as_bytes(std::span(entries_)));
  memory_.write(where_, std::as_bytes(std::span(&table_, 1)));
  return true;
}

}  // namespace redflag::device
