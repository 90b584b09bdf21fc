// Which memory the program declared free of races that matter.
#pragma once

#include <cstddef>
#include <cstdint>

namespace redflag::rt {

void benign_race(void* p, std::size_t n);
bool is_benign(std::uint64_t addr, std::uint64_t n);

}  // namespace redflag::rt
