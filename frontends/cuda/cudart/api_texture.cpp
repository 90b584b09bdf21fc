// Texture and surface objects.
#include "frontends/cuda/cudart/api.h"

namespace redflag::cudart {
namespace {

Error make(Runtime& runtime, unsigned long long& handle, const ResourceDesc& resource,
           const TextureDesc& texture, const ResourceViewDesc* view) {
  const Error made = view != nullptr ? Error::kNotSupported
                                     : runtime.images->make_texture(resource, texture, handle);
  if (made == Error::kNotSupported) {
    runtime.note(
        "cudaCreateTextureObject: mipmapped arrays, resource views, sRGB and seamless cubes are "
        "not supported by the emulated GPU: it returns cudaErrorNotSupported");
  }
  return made;
}

}  // namespace
}  // namespace redflag::cudart

using namespace redflag::cudart;

CUDART_API(cudaCreateTextureObject, (unsigned long long* handle, const ResourceDesc* resource,
                                     const TextureDesc* texture, const ResourceViewDesc* view)) {
  return call(CUDART_CALLER, [&](Runtime& runtime) {
    if (handle == nullptr || resource == nullptr) return Error::kInvalidValue;
    if (texture == nullptr) return Error::kInvalidResourceHandle;
    return make(runtime, *handle, *resource, *texture, view);
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
