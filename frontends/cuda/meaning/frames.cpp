#include "frontends/cuda/meaning/frames.h"

namespace redflag::cuda {

std::vector<Frame> frames_of(const ptx::Module& module, const ptx::DebugStrings& strings,
                             const ptx::Function& function, const ptx::Instruction& instruction) {
  std::vector<Frame> found;
  const auto file_name = [&](std::uint32_t number) {
    const ptx::File* const file = module.find_file(number);
    return file == nullptr ? std::string() : std::string(file->name);
  };
  ptx::LocationId location = instruction.location;
  if (location == ptx::LocationId::kNone) {
    found.push_back({std::string(function.name), module.path, instruction.line, 0});
    return found;
  }
  for (int depth = 0; depth < 64; ++depth) {
    const ptx::Location& each = function.body.locations[ptx::raw(location)];
    Frame frame{std::string(function.name), file_name(each.file), each.line, each.column};
    if (!each.inlined) {
      found.push_back(std::move(frame));
      break;
    }
    const std::string_view inlined = strings.function_of(each);
    if (!inlined.empty()) frame.function = std::string(inlined);
    found.push_back(std::move(frame));
    if (each.caller == ptx::LocationId::kNone) {
      found.push_back(
          {std::string(function.name), file_name(each.at_file), each.at_line, each.at_column});
      break;
    }
    location = each.caller;
  }
  return found;
}

}  // namespace redflag::cuda
