// Module's part that finds which member of a variable an address is: "bank.accounts[3].balance".
//
// The type of the variable is walked down: members, base classes, elements of arrays. It stops
// where the program's own types end: members of standard libraries have reserved names (_M_start,
// __begin_), which say nothing to a reader, and so do those of pthread_mutex_t. A union may be any
// of its members: it ends the walk too. What remains is the distance from the last one that has a
// name.
#include <dwarf.h>

#include <string_view>

#include "core/symbolize/module.h"

namespace redflag::symbolize {
namespace {

constexpr int kMostSteps = 32;  // a damaged file may have a type inside of itself

bool is_reserved(std::string_view name) {
  if (name.size() < 2 || name[0] != '_') return false;
  return name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z');
}

bool type_of(Dwarf_Die& die, Dwarf_Die& type) {
  Dwarf_Attribute attribute;
  Dwarf_Die named;
  if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr) return false;
  if (dwarf_formref_die(&attribute, &named) == nullptr) return false;
  return dwarf_peel_type(&named, &type) == 0;
}

bool size_of(Dwarf_Die& type, std::uint64_t& size) {
  Dwarf_Word value = 0;
  if (dwarf_aggregate_size(&type, &value) != 0 || value == 0) return false;
  size = value;
  return true;
}

bool unsigned_of(Dwarf_Die& die, unsigned what, std::uint64_t& value) {
  Dwarf_Attribute attribute;
  Dwarf_Word word = 0;
  if (dwarf_attr(&die, what, &attribute) == nullptr) return false;
  if (dwarf_formudata(&attribute, &word) != 0) return false;
  value = word;
  return true;
}

// The member or base class that has the byte. Bit fields may share it: the first.
bool member_at(Dwarf_Die& aggregate, std::uint64_t offset, Dwarf_Die& found, std::uint64_t& begin) {
  Dwarf_Die child;
  if (dwarf_child(&aggregate, &child) != 0) return false;
  do {
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
    std::uint64_t at = 0;
    if (!unsigned_of(child, DW_AT_data_member_location, at)) continue;  // a static one
    Dwarf_Die type;
    std::uint64_t size = 0;
    if (!type_of(child, type) || !size_of(type, size)) continue;
    if (offset < at || offset - at >= size) continue;
    found = child;
    begin = at;
    return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

// The lengths of an array's dimensions; empty: not all are known.
std::vector<std::uint64_t> dimensions(Dwarf_Die& array) {
  std::vector<std::uint64_t> all;
  Dwarf_Die child;
  if (dwarf_child(&array, &child) != 0) return {};
  do {
    if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
    std::uint64_t count = 0;
    if (!unsigned_of(child, DW_AT_count, count)) {
      if (!unsigned_of(child, DW_AT_upper_bound, count)) return {};
      ++count;
    }
    if (count == 0) return {};
    all.push_back(count);
  } while (dwarf_siblingof(&child, &child) == 0);
  return all;
}

// One step down; false: this is as far as names go.
bool descend(Dwarf_Die& type, std::uint64_t& offset, std::string& path) {
  const int tag = dwarf_tag(&type);
  Dwarf_Die inner;
  if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type) {
    Dwarf_Die member;
    std::uint64_t begin = 0;
    if (!member_at(type, offset, member, begin) || !type_of(member, inner)) return false;
    const char* name = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : nullptr;
    // std::array is what it holds.
    const bool transparent = name == nullptr || std::string_view(name) == "_M_elems" ||
                             std::string_view(name) == "__elems_";
    if (!transparent && is_reserved(name)) return false;
    if (!transparent) path += std::string(".") + name;
    offset -= begin;
  } else if (tag == DW_TAG_array_type) {
    const std::vector<std::uint64_t> counts = dimensions(type);
    std::uint64_t size = 0;
    if (counts.empty() || !type_of(type, inner) || !size_of(inner, size)) return false;
    std::uint64_t element = offset / size;
    std::string indices;
    for (auto count = counts.rbegin(); count != counts.rend(); ++count) {
      indices = "[" + std::to_string(element % *count) + "]" + indices;
      element /= *count;
    }
    if (element != 0) return false;
    path += indices;
    offset %= size;
  } else {
    return false;
  }
  type = inner;
  return true;
}

}  // namespace

std::string Module::member(std::uint64_t variable_address, std::uint64_t offset) {
  if (!variables_read_) read_variables();
  const auto at = variables_.find(variable_address);
  Dwarf_Die type;
  if (at == variables_.end() || !type_of(at->second.die, type)) return {};
  std::string path;
  for (int depth = 0; depth < kMostSteps && descend(type, offset, path); ++depth) {
  }
  // The first byte of what has no members of its own is that itself.
  if (!path.empty() && offset > 0) path += "+" + std::to_string(offset);
  return path;
}

}  // namespace redflag::symbolize
