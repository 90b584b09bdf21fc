// Elements of a script's buffers: their sizes, and doubles from and to them.
#include <cstring>

#include "tests/cuda/host/script.h"

namespace redflag::script {
namespace {

template <typename T>
double load_as(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}
template <typename T>
void store_as(void* at, double value) {
  const T cut = static_cast<T>(value);
  std::memcpy(at, &cut, sizeof cut);
}

}  // namespace

std::size_t size_of(Type type) {
  constexpr std::size_t kSizes[] = {1, 2, 4, 4, 8, 8, 4, 8};
  return kSizes[static_cast<std::size_t>(type)];
}

double load(Type type, const void* at) {
  switch (type) {
    case Type::kChar:
      return load_as<signed char>(at);
    case Type::kShort:
      return load_as<short>(at);
    case Type::kInt:
      return load_as<std::int32_t>(at);
    case Type::kUint:
      return load_as<std::uint32_t>(at);
    case Type::kLong:
      return load_as<std::int64_t>(at);
    case Type::kUlong:
      return load_as<std::uint64_t>(at);
    case Type::kFloat:
      return load_as<float>(at);
    case Type::kDouble:
      break;
  }
  return load_as<double>(at);
}

void store(Type type, void* at, double value) {
  switch (type) {
    case Type::kChar:
      return store_as<signed char>(at, value);
    case Type::kShort:
      return store_as<short>(at, value);
    case Type::kInt:
      return store_as<std::int32_t>(at, value);
    case Type::kUint:
      return store_as<std::uint32_t>(at, value);
    case Type::kLong:
      return store_as<std::int64_t>(at, value);
    case Type::kUlong:
      return store_as<std::uint64_t>(at, value);
    case Type::kFloat:
      return store_as<float>(at, value);
    case Type::kDouble:
      return store_as<double>(at, value);
  }
}

}  // namespace redflag::script
