// Arrays, textures and surfaces, as the checker tells them (image_objects.h).
#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/real.h"

namespace redflag::inject {

ImageObjects Checker::make_images() {
  return {
      [](CUarray array, CUDA_ARRAY3D_DESCRIPTOR& to) {
        return real(Fn::k_cuArray3DGetDescriptor_v2, &to, array) == kSuccess;
      },
      {[](std::uint64_t bytes) -> std::uint64_t {
         const Inside inside(nullptr);  // whatever the program is capturing
         CUdeviceptr at = 0;
         const auto size = static_cast<std::size_t>(bytes);
         const CUresult done =
             real(Fn::k_cuMemAddressReserve, &at, size, std::size_t{0}, CUdeviceptr{0}, 0ULL);
         return done == kSuccess ? at : 0;
       },
       [](std::uint64_t address, std::uint64_t bytes) {
         const Inside inside(nullptr);
         (void)real(Fn::k_cuMemAddressFree, static_cast<CUdeviceptr>(address),
                    static_cast<std::size_t>(bytes));
       }},
      [this](const cuda::Image& array) {
        tell({.kind = gpu::HostKind::kAlloc, .address = array.address, .size = array.bytes()});
      },
      [this](std::uint64_t address) { tell({.kind = gpu::HostKind::kFree, .address = address}); }};
}

Box Checker::box_of(CUarray array) {
  const cuda::Image* const image = images_.array(array);
  if (image == nullptr) return {};
  return {image->address, image->pitch, image->slice};
}

void Checker::object_begins(std::uint64_t handle, const CUDA_RESOURCE_DESC& resource,
                            const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view) {
  CUcontext const context = current_context();
  const bool is_surface = texture == nullptr;
  const cuda::Texture* const made =
      images_.add({context, handle, is_surface}, resource, texture, view);
  const auto here = contexts_.find(context);
  if (here == contexts_.end() || !here->second->runtime) return;
  device::Runtime& runtime = *here->second->runtime;
  if (made == nullptr) return runtime.remove_image(handle, is_surface);
  runtime.add_image(handle, *made);
}

void Checker::object_ends(std::uint64_t handle, bool is_surface) {
  CUcontext const context = current_context();
  images_.remove({context, handle, is_surface});
  const auto here = contexts_.find(context);
  if (here == contexts_.end() || !here->second->runtime) return;
  here->second->runtime->remove_image(handle, is_surface);
}

// For a runtime that was made when there were objects.
void Checker::tell_images(CUcontext context, device::Runtime& runtime) const {
  for (const auto& [key, object] : images_.all()) {
    if (key.context == context) runtime.add_image(key.handle, object);
  }
}

void Checker::tell_of_images() {
  if (images_.untold() == 0) return;
  outlet_.note(
      "accesses through some textures or surfaces were not checked: they are mipmapped arrays, "
      "compressed views or of an unsupported format, or no address was free for them");
}

}  // namespace redflag::inject
