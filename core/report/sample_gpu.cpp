// A report of a GPU program, with a finding of each of its rules.
#include <utility>

#include "core/report/fold.h"
#include "core/report/sample_report.h"

namespace redflag::sample {
namespace {

CodeFrame code(std::string function, std::uint32_t line, std::uint64_t offset) {
  CodeFrame one(std::move(function), "sum.cu", line, 0);
  one.module = "/home/user/sum";
  one.offset = offset;
  return one;
}

}  // namespace

Report gpu_run() {
  const auto side = [](EventKind kind, std::uint32_t block, std::uint32_t thread,
                       std::uint32_t line) {
    Side out;
    out.access.kind = kind;
    out.access.addr = Addr{0x7f0000001000};
    out.access.size = 4;
    out.access.thread = kUnknownThread;
    out.access.order = is_atomic(kind) ? Order::kRelaxed : Order::kPlain;
    out.stack = {CodeFrame("sum(int const*, int*)", "sum.cu", line, 0)};
    out.thread_name = "thread (" + std::to_string(thread) + ",0,0) of block (" +
                      std::to_string(block) + ",0,0) in sum";
    out.gpu = GpuPlace{"sum(int const*, int*)", 1, {block, 0, 0}, {thread, 0, 0}, Scope::kDevice};
    return out;
  };
  Finding fence;
  fence.rule = Rule::kGpuScopedFence;
  fence.addr = Addr{0x7f0000001000};
  fence.size = 4;
  fence.first = side(EventKind::kWrite, 0, 0, 14);
  fence.second = side(EventKind::kAtomicRmw, 1, 32, 18);
  fence.second.gpu->scope = Scope::kBlock;
  fence.first.gpu->launched = fence.second.gpu->launched = {code("main", 32, 0x1540)};
  fence.missing = Missing::kWiderScope;
  fence.missing_text = "A fence's scope does not include both threads.";
  fence.advice = "Device scope for the fences is enough: __threadfence().";
  Finding barrier;
  barrier.rule = Rule::kGpuBarrierDivergence;
  barrier.first = side(EventKind::kRead, 0, 0, 9);
  barrier.second = side(EventKind::kRead, 0, 16, 11);
  barrier.second.gpu->is_async = true;
  barrier.missing = Missing::kCorrectUse;
  Finding host;
  host.rule = Rule::kGpuHostDevice;
  host.addr = Addr{0x7f0000001000};
  host.size = 4;
  host.memory = {Addr{0x7f0000001000}, 64, RegionKind::kDevice, "", kNoSource};
  host.memory_stack = {code("main", 30, 0x1500)};
  host.first = side(EventKind::kWrite, 0, 0, 14);
  host.second.access.kind = EventKind::kRead;
  host.second.access.thread = kUnknownThread;
  host.second.thread_name = "host";
  host.second.stack = {code("main", 35, 0x1580)};
  host.second.gpu = GpuPlace{};
  host.missing = Missing::kHostSync;
  Report report;
  report.tool_version = "0.1.0";
  report.detector = "ptx_model";
  report.input = "./sum";
  report.findings = {fence, barrier, host};
  // One of each that is left, as like as can be.
  for (int i = kCpuRuleCount; i < static_cast<int>(kFirstRmaRule); ++i) {
    const auto rule = static_cast<Rule>(i);
    if (rule == fence.rule || rule == barrier.rule || rule == host.rule) continue;
    Finding other = fence;
    other.rule = rule;
    if (info(rule).group == RuleGroup::kKernel) {
      other.has_first = false;
      other.first = {};
      other.missing = Missing::kCorrectUse;
      other.missing_text = "What the kernel did, in a sentence.";
      other.advice.clear();
      if (rule == Rule::kGpuStopped || rule == Rule::kGpuStuck) {
        other.addr = other.second.access.addr = Addr{0};
        other.size = other.second.access.size = 0;
      }
    }
    report.findings.push_back(std::move(other));
  }
  fold(report);
  return report;
}

}  // namespace redflag::sample
