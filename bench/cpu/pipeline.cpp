// A compressor with deduplication, as dedup and pbzip2: a reader hands out blocks, THREADS workers
// cut them into chunks where the contents say so, look each chunk up in a shared table and compress
// it if it is new, and a writer puts everything into order. Stages are joined by bounded queues;
// data moves from thread to thread in blocks from the heap, mostly byte by byte.
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "workload.h"

namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kBlock = 128 * 1024;
constexpr size_t kChunkMin = 1024;
constexpr size_t kChunkMax = 16 * 1024;
constexpr uint64_t kCutMask = 0xfff;  // chunks of 4 KiB on average
constexpr int kStripes = 64;

template <typename T>
class Queue {
 public:
  explicit Queue(size_t room) : room_(room) {}
  void put(T item) {
    std::unique_lock<std::mutex> lock(mutex_);
    not_full_.wait(lock, [this] { return items_.size() < room_; });
    items_.push_back(std::move(item));
    not_empty_.notify_one();
  }
  bool take(T& item) {  // false: closed and empty
    std::unique_lock<std::mutex> lock(mutex_);
    not_empty_.wait(lock, [this] { return !items_.empty() || closed_; });
    if (items_.empty()) return false;
    item = std::move(items_.front());
    items_.pop_front();
    not_full_.notify_one();
    return true;
  }
  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    not_empty_.notify_all();
  }

 private:
  const size_t room_;
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::deque<T> items_;
  bool closed_ = false;
};

struct Chunk {  // in the table, once per contents
  uint64_t hash = 0;
  size_t plain_size = 0;
  bool ready = false;  // under the stripe's lock, as is `packed` until then
  Bytes packed;
};

struct Stripe {
  std::mutex mutex;
  std::condition_variable became_ready;
  std::unordered_map<uint64_t, std::unique_ptr<Chunk>> chunks;
};

struct Block {
  size_t number = 0;
  Bytes plain;
  std::vector<Chunk*> chunks;
};

struct Pipeline {
  const Bytes* input = nullptr;
  Queue<std::unique_ptr<Block>> cut{32};
  Queue<std::unique_ptr<Block>> write{32};
  Stripe stripes[kStripes];
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  long workers = 0;
  Bytes output;
};

uint64_t hash_of(const uint8_t* data, size_t n) {
  uint64_t hash = n;
  for (size_t i = 0; i < n; ++i) hash = (hash ^ data[i]) * 0x100000001b3U;
  return hash ^ (hash >> 29);
}

// Where the first chunk of data ends: at a place chosen by a rolling sum of what is before it.
size_t chunk_end(const uint8_t* data, size_t n) {
  if (n <= kChunkMin) return n;
  uint64_t rolling = 0;
  const size_t limit = n < kChunkMax ? n : kChunkMax;
  for (size_t i = kChunkMin - 64; i < limit; ++i) {
    rolling = (rolling << 1) + (data[i] + 1) * 0x9e3779b1U;
    if (i >= kChunkMin && ((rolling >> 20) & kCutMask) == 0) return i;
  }
  return limit;
}

// Literal runs (length, bytes) and matches (0, length, distance); the last four bytes seen name the
// place where a match is looked for.
Bytes compress(const uint8_t* data, size_t n) {
  std::vector<uint32_t> last(4096, 0);  // position + 1
  Bytes out;
  out.reserve(n + n / 128 + 16);
  size_t literal = 0;
  const auto flush = [&](size_t until) {
    while (literal < until) {
      const size_t run = until - literal < 255 ? until - literal : 255;
      out.push_back(static_cast<uint8_t>(run));
      out.insert(out.end(), data + literal, data + literal + run);
      literal += run;
    }
  };
  size_t i = 0;
  while (i + 4 <= n) {
    uint32_t word;
    memcpy(&word, data + i, 4);
    uint32_t& slot = last[(word * 2654435761U) >> 20];
    const size_t candidate = slot;
    slot = static_cast<uint32_t>(i + 1);
    size_t length = 0;
    if (candidate) {
      const uint8_t* before = data + candidate - 1;
      while (length < 255 && i + length < n && before[length] == data[i + length]) ++length;
    }
    if (length < 4) {
      ++i;
      continue;
    }
    flush(i);
    const size_t distance = i - (candidate - 1);
    const uint8_t match[] = {0, static_cast<uint8_t>(length), static_cast<uint8_t>(distance),
                             static_cast<uint8_t>(distance >> 8)};
    out.insert(out.end(), match, match + 4);
    i += length;
    literal = i;
  }
  flush(n);
  return out;
}

void read_blocks(Pipeline& p) {
  for (size_t at = 0, number = 0; at < p.input->size(); at += kBlock, ++number) {
    const size_t n = p.input->size() - at < kBlock ? p.input->size() - at : kBlock;
    auto block = std::make_unique<Block>();
    block->number = number;
    block->plain.assign(p.input->begin() + static_cast<long>(at),
                        p.input->begin() + static_cast<long>(at + n));
    p.cut.put(std::move(block));
  }
  p.cut.close();
}

Chunk* find_or_compress(Pipeline& p, const uint8_t* data, size_t n) {
  const uint64_t hash = hash_of(data, n);
  Stripe& stripe = p.stripes[hash % kStripes];
  Chunk* chunk = nullptr;
  {
    const std::lock_guard<std::mutex> lock(stripe.mutex);
    std::unique_ptr<Chunk>& entry = stripe.chunks[hash];
    if (entry) return entry.get();  // somebody has it, or is at it
    entry = std::make_unique<Chunk>();
    chunk = entry.get();
    chunk->hash = hash;
    chunk->plain_size = n;
  }
  Bytes packed = compress(data, n);
  const std::lock_guard<std::mutex> lock(stripe.mutex);
  chunk->packed = std::move(packed);
  chunk->ready = true;
  stripe.became_ready.notify_all();
  return chunk;
}

void work(Pipeline& p) {
  GUARDED(&p.lock, ++p.workers);
  std::unique_ptr<Block> block;
  while (p.cut.take(block)) {
    size_t at = 0;
    while (at < block->plain.size()) {
      const size_t n = chunk_end(&block->plain[at], block->plain.size() - at);
      block->chunks.push_back(find_or_compress(p, &block->plain[at], n));
      at += n;
    }
    block->plain = Bytes();
    p.write.put(std::move(block));
  }
}

void write_chunk(Pipeline& p, Chunk& chunk, std::unordered_map<uint64_t, size_t>& written) {
  const auto [place, is_new] = written.emplace(chunk.hash, p.output.size());
  uint64_t header[2] = {chunk.plain_size, place->second};
  const auto* raw = reinterpret_cast<const uint8_t*>(header);
  p.output.insert(p.output.end(), raw, raw + sizeof(header));
  if (!is_new) return;
  Stripe& stripe = p.stripes[chunk.hash % kStripes];
  std::unique_lock<std::mutex> lock(stripe.mutex);
  stripe.became_ready.wait(lock, [&] { return chunk.ready; });
  p.output.insert(p.output.end(), chunk.packed.begin(), chunk.packed.end());
}

void write_blocks(Pipeline& p) {
  std::map<size_t, std::unique_ptr<Block>> waiting;
  std::unordered_map<uint64_t, size_t> written;  // hash to where it is in the output
  size_t next = 0;
  std::unique_ptr<Block> block;
  while (p.write.take(block)) {
    const size_t number = block->number;
    waiting[number] = std::move(block);
    while (!waiting.empty() && waiting.begin()->first == next) {
      for (Chunk* chunk : waiting.begin()->second->chunks) write_chunk(p, *chunk, written);
      waiting.erase(waiting.begin());
      ++next;
    }
  }
}

// Sentences of made-up words; now and then a long passage that was there before.
Bytes make_input(size_t n) {
  Bytes input;
  input.reserve(n);
  uint64_t seed = 19;
  std::vector<Bytes> words(3000);
  for (Bytes& word : words) {
    word.resize(2 + next_random(&seed) % 9);
    for (uint8_t& letter : word) letter = static_cast<uint8_t>('a' + next_random(&seed) % 26);
  }
  while (input.size() < n) {
    if (input.size() > 65536 && next_random(&seed) % 6000 == 0) {
      const size_t length = 16384 + next_random(&seed) % 32768;
      const size_t from = next_random(&seed) % (input.size() - length);
      for (size_t i = 0; i < length && input.size() < n; ++i) input.push_back(input[from + i]);
    }
    const Bytes& word = words[next_random(&seed) % (1 + next_random(&seed) % words.size())];
    input.insert(input.end(), word.begin(), word.end());
    input.push_back(' ');
  }
  input.resize(n);
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv, 28);  // MiB
  const Bytes input = make_input(static_cast<size_t>(arguments.size) << 20);
  auto pipeline = std::make_unique<Pipeline>();
  Pipeline& p = *pipeline;
  p.input = &input;
  p.output.reserve(input.size());
  std::thread reader(read_blocks, std::ref(p));
  std::vector<std::thread> workers;
  for (int i = 0; i < arguments.threads; ++i) workers.emplace_back(work, std::ref(p));
  std::thread writer(write_blocks, std::ref(p));
  reader.join();
  for (std::thread& worker : workers) worker.join();
  p.write.close();
  writer.join();
  const uint64_t hash = hash_of(p.output.data(), p.output.size());
  return finish(static_cast<double>(hash >> 16) + static_cast<double>(p.workers), __FILE__);
}
