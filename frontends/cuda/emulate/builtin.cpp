// The functions that the CUDA runtime gives to kernels: printf, malloc, free, assert.
//
// printf's arguments lie packed in memory, each at its natural alignment, as variable arguments of C
// do: 4 bytes for int, 8 for double, long and pointers. malloc and free are told: see core/model/gpu.h.
#include <cstdio>
#include <cstring>
#include <string>

#include "frontends/cuda/emulate/handlers.h"
#include "frontends/cuda/emulate/space.h"

namespace redflag::cuda {
namespace {

std::uint64_t argument(const Run& run, const CallOp& call, std::size_t which, unsigned lane) {
  if (which >= call.arguments.size()) return 0;
  const Slot& slot = call.arguments[which];
  std::uint64_t value = 0;
  if (slot.in_register) {
    return slot.bits == 64 ? run.at<std::uint64_t>(slot.ref)[lane]
                           : run.at<std::uint32_t>(slot.ref)[lane];
  }
  const std::byte* const from =
      run.places[0] + slot.ref + (std::size_t{slot.bytes} + 15) / 16 * 16 * lane;
  std::memcpy(&value, from, std::min<std::size_t>(slot.bytes, 8));
  return value;
}

void give(const Run& run, const CallOp& call, unsigned lane, std::uint64_t value) {
  if (call.returns.empty()) return;
  const Slot& slot = call.returns[0];
  if (slot.in_register) {
    if (slot.bits == 64) {
      run.at<std::uint64_t>(slot.ref)[lane] = value;
    } else {
      run.at<std::uint32_t>(slot.ref)[lane] = static_cast<std::uint32_t>(value);
    }
    return;
  }
  std::byte* const to = run.places[0] + slot.ref + (std::size_t{slot.bytes} + 15) / 16 * 16 * lane;
  std::memcpy(to, &value, std::min<std::size_t>(slot.bytes, 8));
}

std::string text_at(const Run& run, std::uint64_t address, unsigned lane) {
  constexpr std::size_t kLongest = 1 << 16;
  std::string text;
  if (address == 0) return "(null)";
  while (text.size() < kLongest) {
    const std::byte* const at = peek(run, address + text.size(), lane, 1);
    if (at == nullptr || *at == std::byte{0}) break;
    text += static_cast<char>(*at);
  }
  return text;
}

// The arguments, one after the other.
class Arguments {
 public:
  Arguments(const Run& run, std::uint64_t at, unsigned lane) : run_(run), at_(at), lane_(lane) {}
  std::uint64_t next(std::uint32_t bytes) {
    at_ = (at_ + bytes - 1) / bytes * bytes;
    std::uint64_t value = 0;
    const std::byte* const from = peek(run_, at_, lane_, bytes);
    if (from != nullptr) std::memcpy(&value, from, bytes);
    at_ += bytes;
    return value;
  }

 private:
  const Run& run_;
  std::uint64_t at_;
  unsigned lane_;
};

template <typename T>
void print(std::string& out, const std::string& conversion, T value) {
  char text[512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(text, sizeof(text), conversion.c_str(), value);
#pragma GCC diagnostic pop
  if (length > 0) out.append(text, std::min<std::size_t>(static_cast<std::size_t>(length), 511));
}

std::string format(const Run& run, const std::string& how, Arguments values, unsigned lane) {
  std::string out;
  for (std::size_t i = 0; i < how.size();) {
    if (how[i] != '%') {
      out += how[i++];
      continue;
    }
    if (i + 1 < how.size() && how[i + 1] == '%') {
      out += '%';
      i += 2;
      continue;
    }
    std::string flags = "%";
    std::size_t at = i + 1;
    int longs = 0;
    for (; at < how.size() && std::strchr("0123456789+-# .*hlLzjtI", how[at]) != nullptr; ++at) {
      const char c = how[at];
      if (c == '*') {
        flags += std::to_string(static_cast<std::int32_t>(values.next(4)));
      } else if (c == 'l' || c == 'z' || c == 'j' || c == 't') {
        ++longs;
      } else if (c != 'h' && c != 'L' && c != 'I') {
        flags += c;
      }
    }
    if (at >= how.size()) {
      out += how.substr(i);
      break;
    }
    const char kind = how[at];
    i = at + 1;
    switch (kind) {
      case 'd':
      case 'i': {
        const std::uint64_t value = values.next(longs > 0 ? 8 : 4);
        const auto wide = longs > 0 ? static_cast<long long>(value)
                                    : static_cast<long long>(static_cast<std::int32_t>(value));
        print(out, flags + "ll" + kind, wide);
        break;
      }
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        print(out, flags + "ll" + kind,
              static_cast<unsigned long long>(values.next(longs > 0 ? 8 : 4)));
        break;
      case 'c':
        print(out, flags + kind, static_cast<int>(values.next(4)));
        break;
      case 'p':
        print(out, flags + kind, reinterpret_cast<void*>(values.next(8)));
        break;
      case 's': {
        const std::string text = text_at(run, values.next(8), lane);
        if (flags == "%") {
          out += text;
        } else {
          print(out, flags + kind, text.c_str());
        }
        break;
      }
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A': {
        const std::uint64_t bits = values.next(8);
        double value = 0;
        std::memcpy(&value, &bits, 8);
        print(out, flags + kind, value);
        break;
      }
      default:
        out += flags + kind;
        break;
    }
  }
  return out;
}

void print_line(Run& run, const CallOp& call, unsigned lane) {
  const std::string how = text_at(run, argument(run, call, 0, lane), lane);
  const std::uint64_t values = argument(run, call, 1, lane);
  const std::string text = format(run, how, Arguments(run, values, lane), lane);
  const std::scoped_lock lock(run.machine->mutex);
  if (run.machine->write != nullptr) {
    run.machine->write(run.machine->write_context, text);
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
}

// Memory of the device's own heap is new, or no more: what was known of it is forgotten, so that
// two owners of one address are no race.
void tell_heap(Run& run, const MicroOp& op, gpu::HostKind kind, std::uint64_t address,
               std::uint64_t bytes) {
  if (run.machine->sink == nullptr) return;
  gpu::HostStep step;
  step.kind = kind;
  step.site = run.frame->code->site(op);
  step.host_thread = run.machine->launch.host_thread;
  step.stream = run.machine->launch.stream;
  step.address = address;
  step.size = bytes;
  run.machine->sink->host(step);
}

// Who frees writes: an access of another thread that nothing orders before is a race. Of large
// memory only the beginning, as a hint.
void tell_last_write(Run& run, const MicroOp& op, unsigned lane, const Interval& what) {
  constexpr std::uint64_t kPiece = 128, kMost = 4096;
  if (run.machine->sink == nullptr) return;
  gpu::Step step = run.step(gpu::StepKind::kWrite, op, Lanes{1} << lane);
  std::uint64_t address[kWarp] = {};
  step.address = address;
  const std::uint64_t end = std::min(what.end, what.begin + kMost);
  for (std::uint64_t at = what.begin; at < end; at += kPiece) {
    address[lane] = at;
    step.size = static_cast<std::uint8_t>(std::min(kPiece, end - at));
    run.machine->sink->step(step);
  }
}

}  // namespace

void do_builtin(Run& run, const MicroOp& op) {
  const CallOp& call = *static_cast<const CallOp*>(op.extra);
  for (Lanes rest = run.active; rest != 0; rest &= rest - 1) {
    const unsigned lane = first(rest);
    switch (call.builtin) {
      case Builtin::kPrintf:
        print_line(run, call, lane);
        give(run, call, lane, 1);
        break;
      case Builtin::kMalloc: {
        const std::uint64_t bytes = argument(run, call, 0, lane);
        const Result<std::uint64_t> got = run.machine->memory->allocate(bytes, 16);
        if (got) tell_heap(run, op, gpu::HostKind::kAlloc, *got, bytes);
        give(run, call, lane, got ? *got : 0);
        break;
      }
      case Builtin::kFree: {
        const std::uint64_t address = argument(run, call, 0, lane);
        if (address == 0) break;
        const Interval was = run.machine->memory->find(address);
        tell_last_write(run, op, lane, was);
        const Result<void> freed = run.machine->memory->free(address);
        if (!freed) {
          run.fault(FaultKind::kUseAfterFree, op, lane, address, 1, true);
          return;
        }
        tell_heap(run, op, gpu::HostKind::kFree, was.begin, was.end - was.begin);
        break;
      }
      default: {
        const std::string text = text_at(run, argument(run, call, 0, lane), lane);
        const std::string file = text_at(run, argument(run, call, 1, lane), lane);
        const std::uint64_t line = argument(run, call, 2, lane) & 0xffffffff;
        run.fault(FaultKind::kAssert, op, lane, 0, 0, false,
                  file + ":" + std::to_string(line) + ": assertion '" + text + "' failed");
        return;
      }
    }
  }
}

}  // namespace redflag::cuda
