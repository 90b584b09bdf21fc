// Job between barriers: records go into their owners' windows, and owners check what has come.
//
// Whenever this rank tells others what it knows (a release), and when much or old is waiting, its records
// are appended to the windows of those they are for, and its claim (core/detect/pgas/claims.h) is put on
// its board. Where a window is full, the rest waits for the next time. An owner takes what has come at any
// of its own calls; when enough has, it reads the others' claims, compares what is whole, and drops what
// it can (settle). Nobody waits for anybody.
//
// A rank that makes no call takes nothing: what is for it is kept by its origins up to a limit, then lost,
// which is said. So is what an owner cannot drop.
#include <algorithm>

#include "frontends/pgas/track/counts.h"
#include "frontends/pgas/track/job.h"
#include "frontends/pgas/wire/line.h"

namespace redflag::pgas {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLongest{250};  // that records wait, or what has come
// Longer where they are many: what a record costs those that take it in and drop it, up to 0.4 us, is one
// part in fifty then.
constexpr std::chrono::microseconds kLongestOfEach{20};
constexpr std::size_t kFewRecords = 1024;
constexpr std::uint32_t kLooks = 16;  // calls for which the clock is read once
constexpr int kShare = 50;            // settling may take one part in so many

steady_clock::duration longest(std::size_t records) {
  return std::max<steady_clock::duration>(kLongest, records * kLongestOfEach);
}

}  // namespace

Batch& Job::batch_for(std::uint32_t rank) {
  Batch& batch = batches_[rank];
  if (rank != transport_.rank() && batch.size() == 0 && outgoing_[rank].is_empty()) {
    to_tell_.push_back(rank);
  }
  return batch;
}

// Nothing is due for a while.
void Job::rest() {
  told_at_ = settled_at_ = steady_clock::now();
  tell_at_ = records_ + most_waiting();
  settle_at_ = std::max(2 * phase_.size(), phase_.size() + options_.batch);
}

// 16 MiB of records; or a quarter of what the rank's own windows take: a program with large ones has memory.
std::size_t Job::most_waiting() const {
  constexpr std::uint64_t kFew = (16U << 20) / PackedRecords::kBytes;
  return options_.most_waiting.value_or(
      std::max(kFew, windows_.own_bytes() / 4 / PackedRecords::kBytes));
}

void Job::turn(const Task& task) {
  take_arrived();
  const bool is_much = records_ >= tell_at_ || phase_.size() >= settle_at_;
  if (!is_much && ++turns_ % kLooks != 0) return;
  const auto now = steady_clock::now();
  if (is_much || now - told_at_ > longest(records_)) tell_all(task);
  const auto pause = std::max(longest(batches_[transport_.rank()].size()), kShare * settling_);
  if (is_much || now - settled_at_ > pause) settle(task);
}

bool Job::has_few() const {
  return records_ < std::min(kFewRecords, most_waiting());
}

// Behind a release: what others do who learn by it is whole once they were told of this. Many records wait
// for a barrier nevertheless, as in turn().
void Job::tell_if_due(const Task& task) {
  if (has_few() || records_ >= tell_at_ || steady_clock::now() - told_at_ > longest(records_)) {
    tell_all(task);
  }
}

// False: not all.
bool Job::send(std::uint32_t rank) {
  Batch& batch = batches_[rank];
  Outgoing& outgoing = outgoing_[rank];
  const std::size_t size = batch.size();
  const bool is_full = unsent_ >= options_.most_unsent;
  unsent_ -= outgoing.size();
  if (size != 0 && !is_full) {
    outgoing.add(FrameKind::kBatch, batch.encode(rank, sources_));
    records_ -= size;
    count(counts().records, size);
  } else if (size >= options_.batch) {
    const std::size_t gone = batch.forget_records();
    records_ -= gone;
    lost(rank, gone);
  }
  if (!outgoing.is_empty()) count(counts().peers);
  while (!outgoing.is_empty()) {
    const std::span<const std::byte> piece = outgoing.next(transport_.longest());
    if (!transport_.append(rank, piece)) break;
    count(counts().bytes, piece.size());
    outgoing.sent(piece.size());
  }
  unsent_ += outgoing.size();
  return outgoing.is_empty() && batch.size() == 0;
}

void Job::tell_all(const Task& task, std::uint32_t enters) {
  std::erase_if(to_tell_, [this](std::uint32_t rank) { return send(rank); });
  tell_at_ = records_ + most_waiting();
  told_at_ = steady_clock::now();
  claim(task, enters);
}

// `enters`: the task waits for the barrier of all that leads to this phase.
void Job::claim(const Task& task, std::uint32_t enters) {
  Statement statement{tasks_.claim(task, options_.predicts), to_tell_};
  statement.claim.phase = phase_number_;
  statement.claim.enters = enters;
  for (const auto& [target, counter] : fenced_) {
    statement.claim.told.push_back({delivery(transport_.rank(), target), counter});
  }
  if (transport_.publish(write_statement(statement))) return;
  statement.claim.least.clear();  // less of it is true, too
  (void)transport_.publish(write_statement(statement));
}

void Job::take_arrived() {
  while (const std::optional<Transport::Arrived> one = transport_.next()) {
    incoming_[one->from].add(one->bytes);
    take_frames(one->from, true);
  }
}

void Job::settle(const Task& task) {
  const auto begin = steady_clock::now();
  // Claims first: what they speak of has then arrived.
  const std::uint32_t self = transport_.rank();
  for (std::uint32_t rank = 0; rank < batches_.size(); ++rank) {
    if (rank == self) continue;
    std::optional<Statement> made = read_statement(transport_.published(rank));
    if (!made) continue;
    const auto& not_for = made->not_for;
    if (std::find(not_for.begin(), not_for.end(), self) != not_for.end()) continue;
    claims_.renew(rank, std::move(made->claim));
  }
  take_arrived();
  const std::size_t own = batches_[self].size();
  BatchContents batch;
  if (own != 0 && read_batch(self, batches_[self].encode(self, sources_), sources_, batch)) {
    take_in(self, batch, true);
    count(counts().records, own);
  }
  records_ -= own;
  Claim claim = tasks_.claim(task, options_.predicts);
  claim.phase = phase_number_;
  claims_.renew(self, std::move(claim));
  const Phase::Limits limits{kept_for_others(), options_.batch / 2, options_.most_kept,
                             options_.predicts};
  for (Phase* const each : {&phase_, &own_}) {
    const Phase::Settled settled = each->settle(claims_, limits);
    note(settled.races);
    lost(self, settled.lost);
  }
  forget_alikes();
  if (self == 0) {
    report(lines_);
  } else if (!lines_.empty()) {
    (void)batch_for(0);  // it is told something
    unsent_ -= outgoing_[0].size();
    outgoing_[0].add(FrameKind::kLines, std::as_bytes(std::span(lines_)));
    unsent_ += outgoing_[0].size();
  }
  lines_.clear();
  settle_at_ = std::max(2 * phase_.size(), phase_.size() + options_.batch);
  settled_at_ = steady_clock::now();
  settling_ = settled_at_ - begin;
}

}  // namespace redflag::pgas
