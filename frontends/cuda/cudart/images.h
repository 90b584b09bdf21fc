// Arrays, and the texture and surface objects over them and over plain memory.
//
// An array's texels lie row by row, without gaps, in device memory that the table takes and gives back:
// programs cannot see how a device lays them out, and kernels reach them through objects only. The rules
// about descriptions and the errors they give are those that CUDA 13 gave on an H200. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "frontends/cuda/cudart/abi.h"
#include "frontends/cuda/cudart/memory.h"
#include "frontends/cuda/emulate/texture.h"

namespace redflag::cudart {

// What a cudaArray_t points to.
struct Array {
  ChannelFormat format{};
  Extent extent{};  // as the program gave it
  unsigned flags = 0;
  cuda::Image image;

  std::uint64_t bytes() const { return image.slice * image.depth; }
  // A box of elements.
  bool holds(const Pos& at, const Extent& size) const;
  // A rectangle of bytes of the first slice.
  bool holds(std::size_t x, std::size_t y, std::size_t width, std::size_t height) const;
};

struct ImageObject {
  ResourceDesc resource{};
  TextureDesc texture{};
  bool is_surface = false;
};

class ImageTable {
 public:
  ImageTable(cuda::Device& device, MemoryTable& memory) : device_(device), memory_(memory) {}

  Error make_array(const ChannelFormat& format, const Extent& extent, unsigned flags, Array*& made);
  const Array* find(const Array* array) const;  // nullptr: no array, or no more
  void drop(const Array* array);                // its memory, too

  Error make_texture(const ResourceDesc& resource, const TextureDesc& texture,
                     unsigned long long& handle);
  Error make_surface(const ResourceDesc& resource, unsigned long long& handle);
  const ImageObject* object(unsigned long long handle, bool is_surface) const;
  void drop(unsigned long long handle, bool is_surface);  // any number: what is none is no error

 private:
  Error image_of(const ResourceDesc& resource, cuda::Image& image) const;

  cuda::Device& device_;
  MemoryTable& memory_;
  std::unordered_map<const Array*, std::unique_ptr<Array>> arrays_;
  std::unordered_map<unsigned long long, ImageObject> objects_;
};

}  // namespace redflag::cudart
