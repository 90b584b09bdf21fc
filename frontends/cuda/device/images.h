// Images: the host's half of image_table.h, for both runtimes.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "frontends/cuda/device/image_table.h"
#include "frontends/cuda/device/runtime.h"

namespace redflag::device {

class Images {
 public:
  explicit Images(DeviceMemory& memory) : memory_(memory) {}
  ~Images();
  Images(const Images&) = delete;
  Images& operator=(const Images&) = delete;

  // Where in the device's memory the table's address is to be.
  void begin(std::uint64_t where);
  void add(std::uint64_t handle, const cuda::Texture& object);
  void remove(std::uint64_t handle, bool is_surface);
  // Whether plain memory in this range lies under a texture.
  bool reads(std::uint64_t begin, std::uint64_t end) const;
  std::uint64_t lost() const { return lost_; }  // objects that there was no memory for

 private:
  void put(std::uint64_t handle, const cuda::Texture& object);
  void write(std::uint64_t slot);
  bool grow();

  DeviceMemory& memory_;
  std::map<std::pair<std::uint64_t, bool>, cuda::Texture> objects_;
  std::vector<ImageEntry> entries_;  // as the device has them
  std::size_t used_ = 0;             // with those that are gone
  std::uint64_t where_ = 0, table_ = 0;
  std::vector<std::uint64_t> tables_;
  std::uint64_t lost_ = 0;
};

}  // namespace redflag::device
