// A program with an array, a surface and textures over it and over plain memory, that races as it is told.
//
//   images KERNELS.ptx (draw|overlap|look|blur|inplace|upload|uploaded|again)...
//
// It says whether what the kernels computed is right, where that is sure.
#include <string>

#include "frontends/cuda/inject/driver_images.h"
#include "tests/cuda/inject/calls.h"

extern "C" {
CUresult cuArray3DCreate_v2(CUarray*, const CUDA_ARRAY3D_DESCRIPTOR*);
CUresult cuArrayDestroy(CUarray);
CUresult cuTexObjectCreate(CUtexObject*, const CUDA_RESOURCE_DESC*, const CUDA_TEXTURE_DESC*,
                           const CUDA_RESOURCE_VIEW_DESC*);
CUresult cuTexObjectDestroy(CUtexObject);
CUresult cuSurfObjectCreate(CUsurfObject*, const CUDA_RESOURCE_DESC*);
CUresult cuSurfObjectDestroy(CUsurfObject);
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D*);
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D*, CUstream);
}

namespace {

constexpr unsigned kWidth = 64, kHeight = 2;

struct Canvas {
  CUarray array = nullptr;
  CUtexObject texture = 0;
  CUsurfObject surface = 0;

  Canvas() {
    const CUDA_ARRAY3D_DESCRIPTOR what{kWidth, kHeight, 0, kFormatS32, 1, kArraySurface};
    NEED(cuArray3DCreate_v2(&array, &what));
    CUDA_RESOURCE_DESC of{};
    of.resType = kResourceArray;
    of.res.array.hArray = array;
    CUDA_TEXTURE_DESC how{};
    how.flags = kReadAsInteger;
    NEED(cuTexObjectCreate(&texture, &of, &how, nullptr));
    NEED(cuSurfObjectCreate(&surface, &of));
  }
  ~Canvas() {
    NEED(cuTexObjectDestroy(texture));
    NEED(cuSurfObjectDestroy(surface));
    NEED(cuArrayDestroy(array));
  }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  CUDA_MEMCPY2D copy() const {
    CUDA_MEMCPY2D made{};
    made.srcPitch = made.dstPitch = made.WidthInBytes = kWidth * sizeof(int);
    made.Height = kHeight;
    return made;
  }
  void upload(const std::vector<int>& from, CUstream stream = nullptr) const {
    CUDA_MEMCPY2D made = copy();
    made.srcMemoryType = kMemoryHost;
    made.srcHost = from.data();
    made.dstMemoryType = kMemoryArray;
    made.dstArray = array;
    NEED(stream == nullptr ? cuMemcpy2D_v2(&made) : cuMemcpy2DAsync_v2(&made, stream));
  }
  std::vector<int> download() const {
    std::vector<int> to(std::size_t{kWidth} * kHeight);
    CUDA_MEMCPY2D made = copy();
    made.srcMemoryType = kMemoryArray;
    made.srcArray = array;
    made.dstMemoryType = kMemoryHost;
    made.dstHost = to.data();
    NEED(cuMemcpy2D_v2(&made));
    return to;
  }
};

void expect(int found, int expected, const char* when) {
  if (found == expected) return;
  std::printf("%s: %d, not %d\n", when, found, expected);
  std::exit(1);
}

CUtexObject texture_over(const Numbers& numbers) {
  CUDA_RESOURCE_DESC of{};
  of.resType = kResourceLinear;
  of.res.linear = {numbers.at, kFormatS32, 1, Numbers::kCount * sizeof(int)};
  CUDA_TEXTURE_DESC how{};
  how.flags = kReadAsInteger;
  CUtexObject made = 0;
  NEED(cuTexObjectCreate(&made, &of, &how, nullptr));
  return made;
}

struct Program {
  CUmodule module = nullptr;
  Canvas canvas;
  Numbers out, in;

  void launch(const char* name, void** params, CUstream stream = nullptr) const {
    CUfunction function = nullptr;
    NEED(cuModuleGetFunction(&function, module, name));
    NEED(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, stream, params, nullptr));
  }
  void draw(Canvas& on, unsigned step) const {
    void* params[] = {&on.surface, &step};
    launch("draw", params);
    NEED(cuCtxSynchronize());
    expect(on.download()[kWidth], step == 0 ? on.download()[kWidth] : 1, "draw");
    if (step != 0) expect(on.download()[kWidth + 63], 2, "draw");
  }
  void look(CUstream stream = nullptr) {
    void* params[] = {&canvas.texture, &out.at};
    launch("look", params, stream);
  }
  void blur(bool in_place) {
    CUtexObject texture = texture_over(in_place ? out : in);
    unsigned shift = 32;
    void* params[] = {&texture, &out.at, &shift};
    launch("blur", params);
    NEED(cuCtxSynchronize());
    NEED(cuTexObjectDestroy(texture));
  }
  void upload_beside(bool waits) {
    CUstream one = nullptr, other = nullptr;
    NEED(cuStreamCreate(&one, kStreamNonBlocking));
    NEED(cuStreamCreate(&other, kStreamNonBlocking));
    look(one);
    if (waits) NEED(cuStreamSynchronize(one));
    canvas.upload(std::vector<int>(std::size_t{kWidth} * kHeight, 7), other);
    NEED(cuCtxSynchronize());
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string ptx = bytes_of(argv[1]);
  start();
  Program program;
  NEED(cuModuleLoadData(&program.module, ptx.c_str()));
  for (int i = 2; i < argc; ++i) {
    const std::string what = argv[i];
    if (what == "draw") program.draw(program.canvas, 32);
    if (what == "overlap") program.draw(program.canvas, 0);
    if (what == "look") {
      program.canvas.upload(std::vector<int>(std::size_t{kWidth} * kHeight, 5));
      program.look();
      NEED(cuCtxSynchronize());
      program.out.are(5, "look");
    }
    if (what == "blur") {
      program.blur(false);
      program.out.are(1, "blur");
    }
    if (what == "inplace") program.blur(true);
    if (what == "upload") program.upload_beside(false);
    if (what == "uploaded") program.upload_beside(true);
    if (what == "again") {
      for (int turn = 0; turn < 3; ++turn) {
        Canvas fresh;
        program.draw(fresh, 32);
      }
    }
  }
  std::printf("all numbers are right\n");
  return 0;
}
