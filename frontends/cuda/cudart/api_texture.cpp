// Texture and surface objects.
#include "frontends/cuda/cudart/api.h"

namespace redflag::cudart {
namespace {

// What makes an object that would be read in a way that is not emulated: said, and refused.
bool refused(Runtime& runtime, const ResourceDesc& resource, const TextureDesc& texture,
             const ResourceViewDesc* view) {
  const char* what = nullptr;
  if (resource.type == ResourceType::kMipmappedArray) what = "mipmapped arrays";
  if (view != nullptr) what = "resource views";
  if (texture.srgb != 0) what = "sRGB textures";
  if (what == nullptr) return false;
  runtime.note(std::string("cudaCreateTextureObject: ") + what +
               " are not supported by the emulated GPU: it returns cudaErrorNotSupported");
  return true;
}

}  // namespace
}  // namespace redflag::cudart

using namespace redflag::cudart;

CUDART_API(cudaCreateTextureObject, (unsigned long long* handle, const ResourceDesc* resource,
                                     const TextureDesc* texture, const ResourceViewDesc* view)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    if (handle == nullptr || resource == nullptr) return Error::kInvalidValue;
    if (texture == nullptr) return Error::kInvalidResourceHandle;
    if (refused(runtime, *resource, *texture, view)) return Error::kNotSupported;
    return runtime.images->make_texture(*resource, *texture, *handle);
  });
}

CUDART_API(cudaDestroyTextureObject, (unsigned long long handle)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    runtime.images->drop(handle, false);
    return Error::kSuccess;
  });
}

CUDART_API(cudaGetTextureObjectResourceDesc, (ResourceDesc * to, unsigned long long handle)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    const ImageObject* const object = runtime.images->object(handle, false);
    if (to == nullptr || object == nullptr) return Error::kInvalidValue;
    *to = object->resource;
    return Error::kSuccess;
  });
}

CUDART_API(cudaGetTextureObjectTextureDesc, (TextureDesc * to, unsigned long long handle)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    const ImageObject* const object = runtime.images->object(handle, false);
    if (to == nullptr || object == nullptr) return Error::kInvalidValue;
    *to = object->texture;
    return Error::kSuccess;
  });
}

CUDART_API(cudaGetTextureObjectResourceViewDesc,
           (ResourceViewDesc * to, unsigned long long handle)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    if (to == nullptr || runtime.images->object(handle, false) == nullptr) {
      return Error::kInvalidValue;
    }
    *to = {};
    return Error::kSuccess;
  });
}

CUDART_API(cudaCreateSurfaceObject, (unsigned long long* handle, const ResourceDesc* resource)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    if (handle == nullptr || resource == nullptr) return Error::kInvalidValue;
    return runtime.images->make_surface(*resource, *handle);
  });
}

CUDART_API(cudaDestroySurfaceObject, (unsigned long long handle)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    runtime.images->drop(handle, true);
    return Error::kSuccess;
  });
}

CUDART_API(cudaGetSurfaceObjectResourceDesc, (ResourceDesc * to, unsigned long long handle)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    const ImageObject* const object = runtime.images->object(handle, true);
    if (to == nullptr || object == nullptr) return Error::kInvalidValue;
    *to = object->resource;
    return Error::kSuccess;
  });
}
