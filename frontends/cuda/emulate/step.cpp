// The loop that executes instructions, and what handlers need of it.
//
// Hot: a value operation costs the guard, three or four additions and one indirect call; anything
// else one indirect call. Counting instructions costs nothing: the budget that ends the slice is
// also the count, settled when the set of lanes changes.
#include "frontends/cuda/emulate/step.h"

#include "frontends/cuda/emulate/worker.h"

namespace redflag::cuda {

void run_instructions(Run& run) {
  ValueArgs& args = run.args;
  while (run.budget > 0) {
    --run.budget;
    const MicroOp& op = *run.pc++;
    const Lanes active = run.mask & (*run.at<Lanes>(op.guard) ^ op.guard_flip);
    if (active == 0) continue;
    if (op.value != nullptr) {
      const Ref* refs = op.refs;
      for (unsigned i = 0; i < op.results; ++i) args.result[i] = run.at<void>(*refs++);
      for (unsigned i = 0; i < op.sources; ++i) args.source[i] = run.at<void>(*refs++);
      args.active = active;
      args.results = op.results;
      args.sources = op.sources;
      args.shift = op.shift;
      args.constant = op.constant;
      op.value(args);
    } else {
      run.active = active;
      op.handler(run, op);
    }
  }
}

void Run::count_instructions() {
  const auto done = static_cast<std::uint64_t>(mark - budget);
  worker->stats.warp_instructions += done;
  warp->executed += done;
  worker->stats.thread_instructions += done * count(mask);
  mark = budget;
}

gpu::Step Run::step(gpu::StepKind kind, const MicroOp& op, Lanes lanes) const {
  gpu::Step made;
  made.kind = kind;
  made.lanes = made.converged = lanes;
  made.warp = warp->index;
  made.block = block->index;
  made.site = frame->code->site(op);
  const std::uint64_t now = warp->executed + static_cast<std::uint64_t>(mark - budget);
  made.instructions = static_cast<std::uint32_t>(now - warp->told);
  warp->told = now;
  return made;
}

namespace {

std::string hex(std::uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value & 15]);
  } while ((value >>= 4) != 0);
  return "0x" + text;
}

std::string triple(const gpu::Dim& at) {
  return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) + ")";
}

std::string what_happened(const Run& run, FaultKind kind, std::uint64_t at, std::uint32_t size,
                          bool wrote, std::string_view text) {
  if (kind == FaultKind::kTrap || kind == FaultKind::kAssert || kind == FaultKind::kStackOverflow ||
      kind == FaultKind::kOutOfMemory) {
    return std::string(text);
  }
  const std::string access = std::string(wrote ? "write" : "read") + " of " + std::to_string(size) +
                             " bytes at " + hex(at);
  if (!text.empty()) {
    const std::string space = std::string(text) + " memory";
    if (kind == FaultKind::kMisaligned) return "misaligned " + access + " of " + space;
    std::string has;
    if (text == "shared")
      has = ", which has " + std::to_string(run.machine->shared_bytes) + " bytes";
    return "out-of-bounds " + access + " of " + space + has;
  }
  if (kind == FaultKind::kMisaligned) {
    return "misaligned " + access;
  }
  if (kind == FaultKind::kUseAfterFree) {
    const Interval was = run.machine->memory->find_freed(at);
    return access + ", which was freed: byte " + std::to_string(at - was.begin) + " of " +
           std::to_string(was.end - was.begin);
  }
  const Interval near = run.machine->memory->nearest(at);
  std::string place;
  if (near.end != 0) {
    const std::uint64_t bytes = near.end - near.begin;
    const bool before = at < near.begin;
    const std::uint64_t far = before ? near.begin - at : at - near.end;
    if (!before && at < near.end) {
      place = ", across the end of an allocation of " + std::to_string(bytes) + " bytes";
    } else {
      place = ", " + std::to_string(far) + " bytes " + (before ? "before" : "after") +
              " an allocation of " + std::to_string(bytes) + " bytes";
    }
  }
  return "out-of-bounds " + access + place;
}

}  // namespace

std::string describe_thread(const Machine& machine, const Block& block, std::uint32_t thread) {
  return "thread " + triple(gpu::place(thread, machine.launch.block)) + " of block " +
         triple(block.at);
}

std::string describe_place(const Code& code, const MicroOp& op) {
  const ptx::Function& function = *code.function;
  if (op.instruction >= function.body.instructions.size()) return std::string(function.name);
  const ptx::Instruction& from = function.body.instructions[op.instruction];
  std::string text;
  if (from.location != ptx::LocationId::kNone) {
    const ptx::Location& location = function.body.locations[ptx::raw(from.location)];
    const ptx::File* const file = code.module->find_file(location.file);
    if (file != nullptr)
      text = std::string(file->name) + ":" + std::to_string(location.line) + ", ";
  }
  return text + code.module->path + ":" + std::to_string(from.line) + ": " + std::string(from.text);
}

void Run::fault(FaultKind kind, const MicroOp& op, unsigned lane, std::uint64_t at,
                std::uint32_t size, bool wrote, std::string_view text) {
  leave();
  const std::scoped_lock lock(machine->mutex);
  machine->stop.store(true);
  if (machine->fault.kind != FaultKind::kNone) return;
  Fault& made = machine->fault;
  made.kind = kind;
  made.address = at;
  made.size = size;
  made.wrote = wrote;
  made.block = block->index;
  made.thread = warp->index * kWarp + lane;
  made.site = frame->code->site(op);
  made.text = "kernel '" + machine->launch.kernel +
              "': " + what_happened(*this, kind, at, size, wrote, text) + ", by " +
              describe_thread(*machine, *block, made.thread) + ", at " +
              describe_place(*frame->code, op);
}

}  // namespace redflag::cuda
