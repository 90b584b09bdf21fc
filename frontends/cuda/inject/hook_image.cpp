// Arrays, textures and surfaces: what is made and destroyed, and copies of arrays that have functions of their own.
#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/hooks.h"

namespace redflag::inject {
namespace {

CUresult array_made(CUresult done, CUarray const* made) {
  if (done != kSuccess) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  (void)checker.images().array(*made);
  return done;
}

void object_gone(std::uint64_t handle, bool is_surface) {
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.object_ends(handle, is_surface);
}

}  // namespace

CUresult array_create(const Call& call, CUarray* made, const CUDA_ARRAY_DESCRIPTOR* what) {
  return array_made(pass(call, made, what), made);
}

CUresult array_3d_create(const Call& call, CUarray* made, const CUDA_ARRAY3D_DESCRIPTOR* what) {
  return array_made(pass(call, made, what), made);
}

// Before the driver's: another thread may get the same handle at once after it.
CUresult array_destroy(const Call& call, CUarray array) {
  {
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    checker.images().array_ends(array);
  }
  return pass(call, array);
}

CUresult texture_create(const Call& call, CUtexObject* made, const CUDA_RESOURCE_DESC* resource,
                        const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view) {
  const CUresult done = pass(call, made, resource, texture, view);
  if (done != kSuccess || resource == nullptr || texture == nullptr) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.object_begins(*made, *resource, texture, view);
  return done;
}

CUresult texture_destroy(const Call& call, CUtexObject object) {
  object_gone(object, false);
  return pass(call, object);
}

CUresult surface_create(const Call& call, CUsurfObject* made, const CUDA_RESOURCE_DESC* resource) {
  const CUresult done = pass(call, made, resource);
  if (done != kSuccess || resource == nullptr) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.object_begins(*made, *resource, nullptr, nullptr);
  return done;
}

CUresult surface_destroy(const Call& call, CUsurfObject object) {
  object_gone(object, true);
  return pass(call, object);
}

}  // namespace redflag::inject
