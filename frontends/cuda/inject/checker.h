// Checker: all that is known about the program's use of the GPU; one for the process.
//
// Hooks (hook_*.cpp) tell it what the program does; it keeps modules, streams and allocations, makes a
// device runtime for each context when a checked kernel is first launched there, and brings findings
// out: whenever the program waits, every now and then by a thread of its own, and at the end. One lock;
// not held while the driver does the program's work. Kept for ever, since programs call the driver from
// destructors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "frontends/cuda/inject/copy_steps.h"
#include "frontends/cuda/inject/driver_memory.h"
#include "frontends/cuda/inject/engine.h"
#include "frontends/cuda/inject/graphs.h"
#include "frontends/cuda/inject/image_objects.h"
#include "frontends/cuda/inject/links.h"
#include "frontends/cuda/inject/maker.h"
#include "frontends/cuda/inject/modules.h"
#include "frontends/cuda/inject/stream_order.h"
#include "frontends/cuda/inject/stuck.h"
#include "frontends/cuda/inject/versions.h"
#include "frontends/cuda/report/outlet.h"
#include "frontends/cuda/watch/keyed.h"

namespace redflag::inject {

using Lock = std::unique_lock<std::mutex>;

// What a launch looks like, however it was made.
struct Shape {
  gpu::Dim grid, block, cluster;
  std::uint64_t dynamic_shared = 0;
  bool cooperative = false;
};

// What a launch of a rewritten kernel needs besides what the program gave.
struct Ticket {
  gpu::Launch launch;
  rewrite::Version version = rewrite::Version::kFull;
  CUfunction handle = nullptr;  // of that version
  // From the runtime, for the full version and for the lean one.
  std::uint64_t number = 0;
  std::uint64_t lean_number = 0;
  std::uint64_t value = 0;   // of the parameter that was added; the plain version has none
  std::uint64_t shared = 0;  // dynamic, with what the runtime needs
  bool is_captured = false;  // nothing runs yet
  bool was_plain = false;    // that version was tried
  bool is_unfit = false;     // it is launched as the program has it, since nothing else fits

  std::uint64_t own_number() const {
    return version == rewrite::Version::kLean ? lean_number : number;
  }
  bool is_plain() const { return version == rewrite::Version::kPlain; }
};

class Checker {
 public:
  static Checker& get();
  // At cuInit: last words come before the driver's own end.
  static void begin();

  Lock lock() { return Lock(mutex_); }

  // The image that takes the place of this one, if its PTX can be rewritten. Takes time, and no lock.
  std::shared_ptr<Module> prepare(const void* image, const std::string& name);

  // All below: under the lock.
  Modules& modules() { return modules_; }
  Links& links() { return links_; }
  void module_gone(const void* handle);
  StreamOrder& streams() { return streams_; }
  Graphs& graphs() { return graphs_; }
  StreamOrder::Stream& stream(CUstream handle, bool per_thread);

  // Something that the host did; who and where is filled in.
  void tell(gpu::HostStep step);
  // Launches that are known to have ended; what was found by then comes out.
  void ended(const std::vector<gpu::LaunchId>& launches);

  // The kernel behind a handle, asking the driver where it came by an unseen way.
  Kernel kernel(const void* handle);
  // Whether it was rewritten: then its launches have one parameter more, and its module gets to know
  // where the runtime's state is. If it is not checked it goes onto the list of those.
  bool is_ready(const Kernel& kernel);
  // For a launch in the stream now.
  Ticket admit(const Kernel& kernel, CUfunction handle, const Shape& shape, const Arguments& given,
               StreamOrder::Stream& stream);
  // For one that is only described, as a node of a graph: in full, since its parameters may be changed.
  Ticket describe(const Kernel& kernel, CUfunction handle, const Shape& shape);
  // The driver has not launched it so: what to try next. False: nothing is left.
  bool try_more(Ticket& ticket, const Kernel& kernel, CUfunction handle, const Shape& shape);
  // The version as the program has it; nullptr: there is none.
  CUfunction plain_of(const Kernel& kernel);
  // It was launched as the program has it, since nothing else fits.
  void not_fit(const Kernel& kernel);
  // A launch of it is not checked: for the note at the end and for the report.
  void leave_out(const Kernel& kernel, const std::string& why);
  // The program has set something on its kernel; `set` does the same on a version of it.
  void set_on_versions(const Kernel& kernel, const std::function<CUresult(CUfunction)>& set);
  // Of the static shared memory of a rewritten kernel, the program's.
  std::uint64_t own_shared(std::uint64_t fixed) const;
  // Of the limit of its dynamic shared memory, where it is the one that it has from the beginning.
  int own_limit(int bytes) const;
  // Dynamic shared memory that a launch of a rewritten kernel gets besides, if it fits.
  std::uint64_t more_shared(CUfunction handle, std::uint64_t dynamic, std::uint64_t threads) const;
  // A launch begins in a stream in which work has begun. Returns the value of the parameter that was added.
  std::uint64_t launch_begins(gpu::Launch& launch, std::uint64_t dynamic_shared,
                              gpu::StreamId stream);
  // A graph is launched: what its nodes do is told, and kernels that have had the number they have get
  // another. Returns their launches.
  std::vector<gpu::LaunchId> graph_begins(CUgraphExec exec, StreamOrder::Stream& stream);
  // It was put into the stream. `watched`: an event may be recorded behind it.
  void launched(gpu::LaunchId launch, StreamOrder::Stream& stream, CUstream handle, bool watched);

  void context_gone(CUcontext context);

  // Arrays, textures and surfaces (checker_images.cpp).
  ImageObjects& images() { return images_; }
  Box box_of(CUarray array);  // its address is 0: it is not told of
  // `texture`: nullptr of a surface.
  void object_begins(std::uint64_t handle, const CUDA_RESOURCE_DESC& resource,
                     const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view);
  void object_ends(std::uint64_t handle, bool is_surface);

  // Managed memory (checker_managed.cpp). The host accesses some that is closed.
  void managed_begins(std::uint64_t address);
  void managed_ends(std::uint64_t address);
  void host_access(std::uint64_t address, bool wrote, const void* at);

 private:
  struct Context {
    explicit Context(CUcontext handle) : memory(handle) {}
    DriverMemory memory;
    std::unique_ptr<device::Runtime> runtime;
    std::uint64_t state = 0;
  };

  Checker();
  // What to load instead of the image.
  Result<Made> make(const void* image, const std::string& name, bool& has_ptx);
  Result<Context*> context();                    // the current one, with its runtime
  std::string make_ready(const Kernel& kernel);  // why it is not
  gpu::Launch launch_of(const Kernel& kernel, CUfunction handle, const Shape& shape);
  // What the ticket's version is launched with.
  void equip(Ticket& ticket, const Kernel& kernel, CUfunction handle, const Shape& shape);
  void tell_variables(Module& module);
  void find_managed(Module& module);  // among its variables
  // Closes managed memory that the launch uses. True: what the host does there shall be compared with it, so
  // all that the kernel does must be told.
  bool close_for(const gpu::Launch& launch, const Kernel& kernel, const Arguments& given);
  void open_after(gpu::LaunchId launch);
  void tell_of_managed();
  ImageObjects make_images();
  void tell_images(CUcontext context, device::Runtime& runtime) const;
  void tell_of_images();
  // Which of the program's threads did something.
  ThreadId host_thread() const;
  void number(Graphs::Operations& operations, CUgraphExec exec);
  CUresult number(std::span<Graphs::Operation> of_one_child, CUgraphExec exec);
  void tell_earlier(device::Runtime& runtime);
  void collect();
  void look_for_stuck();
  void watch();
  void finish();
  [[noreturn]] void end_stuck(gpu::LaunchId launch);
  void tell_limits();
  std::vector<Counter> stats() const;

  std::mutex mutex_;
  int pid_ = 0;
  bool over_ = false;
  bool watching_ = false;
  cuda_report::Settings settings_;
  cuda_report::Outlet outlet_;
  Engine engine_;
  Maker maker_;
  Modules modules_;
  Links links_;
  StreamOrder streams_;
  Graphs graphs_;
  ImageObjects images_;
  Unchecked unchecked_;
  Stuck stuck_;
  std::map<CUcontext, std::unique_ptr<Context>> contexts_;
  // For runtimes that are made later: what the host did before the first, and what it has.
  std::vector<gpu::HostStep> early_;
  std::map<std::uint64_t, gpu::HostStep> allocations_;
  std::map<gpu::LaunchId, CUcontext> running_;  // whose runtime is to be told of the end
  std::map<gpu::LaunchId, std::shared_ptr<Module>> launched_;  // for their sites
  bool has_managed_ = false;
  watch::Keyed* keyed_ = nullptr;
  std::set<std::uint64_t> managed_;  // addresses of what can be closed
  std::map<gpu::LaunchId, std::vector<std::uint64_t>> closed_;
  std::set<std::pair<std::uint64_t, bool>> told_accesses_;  // since the last launch
  std::set<const rewrite::Kernel*> told_in_full_;
  bool touched_by_host_ = false;  // while it was closed
  std::uint32_t launches_ = 0;
  VersionCounts versions_;
};

CUcontext current_context();
// The handle of the stream that a call means: the thread's own instead of 0 where it means that.
CUstream meant(CUstream stream, bool per_thread);
// The number of the capture that the stream is part of; 0: none.
std::uint64_t capture_of(CUstream stream);
// The node that the capture has made last there; nullptr: not known.
CUgraphNode captured_node(CUstream stream);

}  // namespace redflag::inject
