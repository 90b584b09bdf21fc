// Arrays that the program has, and its texture and surface objects.
//
// An array gets a range of addresses when it is first seen (address_ranges.h): under these it is told of, by copies of the host
// and by kernels. Which one a handle means is asked of the driver, so that arrays are known however they
// came to be: by interoperation, or as levels of another. Not told of: mipmapped arrays as a whole, views with compressed
// texels, formats of several planes. One thread at a time.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "frontends/cuda/inject/address_ranges.h"
#include "frontends/cuda/inject/driver_images.h"
#include "frontends/cuda/texture/texture.h"

namespace redflag::inject {

class ImageObjects {
 public:
  // False: there is no such array.
  using Describe = std::function<bool(CUarray array, CUDA_ARRAY3D_DESCRIPTOR& to)>;
  // An array has got its addresses, or has them no more.
  using Begins = std::function<void(const cuda::Image& array)>;
  using Ends = std::function<void(std::uint64_t address)>;
  ImageObjects(Describe describe, AddressRanges ranges, Begins begins, Ends ends)
      : describe_(std::move(describe)),
        ranges_(std::move(ranges)),
        begins_(std::move(begins)),
        ends_(std::move(ends)) {}

  // nullptr: it is not told of.
  const cuda::Image* array(CUarray handle);
  void array_ends(CUarray handle);

  struct Key {
    CUcontext context = nullptr;
    std::uint64_t handle = 0;
    bool is_surface = false;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  // nullptr: it is not told of. `texture` of a surface: nullptr.
  const cuda::Texture* add(const Key& key, const CUDA_RESOURCE_DESC& resource,
                           const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view);
  void remove(const Key& key) { objects_.erase(key); }
  void forget(CUcontext context);
  const std::map<Key, cuda::Texture>& all() const { return objects_; }
  std::uint64_t untold() const { return untold_; }  // objects

 private:
  std::optional<cuda::Image> image(const CUDA_RESOURCE_DESC& resource,
                                   const CUDA_RESOURCE_VIEW_DESC* view);

  Describe describe_;
  AddressRanges ranges_;
  Begins begins_;
  Ends ends_;
  std::map<CUarray, cuda::Image> arrays_;
  std::map<Key, cuda::Texture> objects_;
  std::uint64_t untold_ = 0;
};

}  // namespace redflag::inject
