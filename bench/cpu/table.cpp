// A hash table under striped locks, as in a key-value store or a word count: threads look up, add
// and remove string keys. Chains of separately allocated nodes; critical sections of a few dozen
// accesses; memory that one thread allocates and another frees.
#include <memory>
#include <mutex>
#include <vector>

#include "workload.h"

namespace {

constexpr size_t kStripes = 512;
constexpr int kOperations = 3;  // per key

struct Node {
  Node* next;
  uint64_t hash;
  uint32_t count;
  uint32_t length;
  char key[];
};

struct Table {
  int threads = 0;
  std::vector<Node*> buckets;
  std::vector<std::mutex> stripes;
  std::vector<char> text;      // the keys, one after another
  std::vector<uint32_t> keys;  // where each begins
  std::vector<long> hits;      // per thread
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  long operations = 0;

  std::mutex& stripe(uint64_t hash) { return stripes[hash % kStripes]; }
  Node*& bucket(uint64_t hash) { return buckets[hash % buckets.size()]; }
};

uint64_t hash_of(const char* key, size_t length) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (size_t i = 0; i < length; ++i) hash = (hash ^ static_cast<uint8_t>(key[i])) * 0x100000001b3U;
  return hash ^ (hash >> 31);
}

bool matches(const Node& node, uint64_t hash, const char* key, size_t length) {
  return node.hash == hash && node.length == length && memcmp(node.key, key, length) == 0;
}

void add(Table& table, const char* key, size_t length) {
  const uint64_t hash = hash_of(key, length);
  const std::lock_guard<std::mutex> guard(table.stripe(hash));
  Node*& head = table.bucket(hash);
  for (Node* node = head; node; node = node->next) {
    if (matches(*node, hash, key, length)) {
      ++node->count;
      return;
    }
  }
  Node* node = static_cast<Node*>(malloc(sizeof(Node) + length + 1));
  node->next = head;
  node->hash = hash;
  node->count = 1;
  node->length = static_cast<uint32_t>(length);
  memcpy(node->key, key, length + 1);
  head = node;
}

bool find(Table& table, const char* key, size_t length) {
  const uint64_t hash = hash_of(key, length);
  const std::lock_guard<std::mutex> guard(table.stripe(hash));
  for (const Node* node = table.bucket(hash); node; node = node->next) {
    if (matches(*node, hash, key, length)) return true;
  }
  return false;
}

void remove(Table& table, const char* key, size_t length) {
  const uint64_t hash = hash_of(key, length);
  const std::lock_guard<std::mutex> guard(table.stripe(hash));
  for (Node** link = &table.bucket(hash); *link; link = &(*link)->next) {
    if (!matches(**link, hash, key, length)) continue;
    Node* node = *link;
    if (--node->count == 0) {
      *link = node->next;
      free(node);
    }
    return;
  }
}

void work(int self, void* data) {
  Table& table = *static_cast<Table*>(data);
  const size_t n = table.keys.size();
  const long operations = static_cast<long>(n) * kOperations / table.threads;
  GUARDED(&table.lock, table.operations += operations);
  uint64_t seed = 300 + self;
  long hits = 0;
  std::vector<uint32_t> added;
  for (long i = 0; i < operations; ++i) {
    const uint64_t random = next_random(&seed);
    const uint32_t begin = table.keys[random % n];
    const char* key = &table.text[begin];
    const size_t length = strlen(key);
    switch ((random >> 40) % 8) {
      case 0:
      case 1:
      case 2:
        add(table, key, length);
        added.push_back(begin);
        break;
      case 3: {  // takes away one that this thread added
        if (added.empty()) break;
        const char* mine = &table.text[added.back()];
        remove(table, mine, strlen(mine));
        added.pop_back();
        break;
      }
      default:
        hits += find(table, key, length);
    }
  }
  table.hits[self] = hits;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv, 500'000);
  auto owner = std::make_unique<Table>();
  Table& table = *owner;
  table.threads = arguments.threads;
  table.buckets.resize((arguments.size + kStripes) / kStripes *
                       kStripes);  // a bucket has one stripe
  table.stripes = std::vector<std::mutex>(kStripes);
  table.hits.resize(table.threads);
  uint64_t seed = 31;
  for (long i = 0; i < arguments.size; ++i) {
    table.keys.push_back(static_cast<uint32_t>(table.text.size()));
    char word[64];
    const int length = snprintf(word, sizeof word, "user:%llx/session/%ld",
                                static_cast<unsigned long long>(next_random(&seed) >> 20), i);
    table.text.insert(table.text.end(), word, word + length + 1);
  }
  run_threads(table.threads, work, &table);
  // What is left does not depend on who came first.
  double sum = static_cast<double>(table.operations);
  for (Node* node : table.buckets) {
    while (node) {
      sum += static_cast<double>(node->hash >> 40) * node->count;
      Node* next = node->next;
      free(node);
      node = next;
    }
  }
  long hits = 0;
  for (long h : table.hits) hits += h;
  fprintf(stderr, "table: %ld lookups hit\n", hits);
  return finish(sum, __FILE__);
}
