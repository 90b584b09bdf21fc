#include "frontends/cuda/ptx/modifier.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace redflag::ptx {
namespace {

struct Word {
  std::string_view text;
  ModClass mod_class;
};

constexpr auto kWords = std::to_array<Word>({
#define MOD(name, text, class_) {text, ModClass::k##class_},
#include "frontends/cuda/ptx/modifiers.inc"
#undef MOD
});

constexpr auto kShapeWords = std::to_array<std::string_view>({
    "m8n8k4",
    "m16n16k16",
    "m32n8k16",
    "m8n32k16",
    "m16n16k8",
    "m8n8k32",
    "m8n8k128",
    "m8n8k16",
    "m16n8k4",
    "m16n8k8",
    "m16n8k16",
    "m16n8k32",
    "m16n8k64",
    "m16n8k128",
    "m16n8k256",
    "m8n8",
    "m16n16",
    "m16n8",
    "m8n16",
    "16x64b",
    "16x128b",
    "16x256b",
    "32x32b",
    "16x32bx2",
    "128x256b",
    "4x256b",
    "128x128b",
    "64x128b",
    "32x128b",
    "warpx2::02_13",
    "warpx2::01_23",
    "warpx4",
    "collector::a::fill",
    "collector::a::use",
    "collector::a::lastuse",
    "collector::a::discard",
});

// The fixed words, then wgmma's, whose n has 32 values.
const std::vector<std::string>& shapes() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> words(kShapeWords.begin(), kShapeWords.end());
    for (int n = 8; n <= 256; n += 8) {
      for (const int k : {8, 16, 32, 64, 256}) {
        words.push_back("m64n" + std::to_string(n) + "k" + std::to_string(k));
      }
    }
    return words;
  }();
  return all;
}

std::uint16_t raw(Mod mod) {
  return static_cast<std::uint16_t>(mod);
}

// The place of a word's meaning in its enum: the words of a class stand together, in its order.
template <typename Enum>
Enum nth(Mod mod, Mod first) {
  return static_cast<Enum>(raw(mod) - raw(first) + 1);
}

}  // namespace

std::optional<Mod> find_mod(std::string_view word) {
  static const std::unordered_map<std::string_view, Mod> index = [] {
    std::unordered_map<std::string_view, Mod> map;
    for (std::size_t i = 1; i < kTypes.size(); ++i) {
      map.emplace(kTypes[i].name, static_cast<Mod>(i));
    }
    for (std::size_t i = 1; i < kSpaceNames.size(); ++i) {
      map.emplace(kSpaceNames[i], static_cast<Mod>(kFirstSpaceMod + i));
    }
    for (std::size_t i = 0; i < kWords.size(); ++i) {
      map.emplace(kWords[i].text, static_cast<Mod>(kFirstWordMod + i));
    }
    for (std::size_t i = 0; i < shapes().size(); ++i) {
      map.emplace(shapes()[i], static_cast<Mod>(kFirstShapeMod + i));
    }
    return map;
  }();
  const auto it = index.find(word);
  return it == index.end() ? std::nullopt : std::optional(it->second);
}

std::string_view name_of(Mod mod) {
  const std::uint16_t n = raw(mod);
  if (n >= kFirstShapeMod) return shapes()[n - kFirstShapeMod];
  if (n >= kFirstWordMod) return kWords[n - kFirstWordMod].text;
  if (n >= kFirstSpaceMod) return kSpaceNames[n - kFirstSpaceMod];
  return kTypes[n].name;
}

ModClass class_of(Mod mod) {
  const std::uint16_t n = raw(mod);
  if (n >= kFirstShapeMod) return ModClass::kShape;
  if (n >= kFirstWordMod) return kWords[n - kFirstWordMod].mod_class;
  return n >= kFirstSpaceMod ? ModClass::kSpace : ModClass::kType;
}

Shape shape_of(Mod mod) {
  Shape shape;
  if (class_of(mod) != ModClass::kShape) return shape;
  std::uint16_t* number = nullptr;
  for (const char c : name_of(mod)) {
    if (c == 'm') {
      number = &shape.m;
    } else if (c == 'n') {
      number = &shape.n;
    } else if (c == 'k') {
      number = &shape.k;
    } else if (number != nullptr && c >= '0' && c <= '9') {
      *number = static_cast<std::uint16_t>(*number * 10 + (c - '0'));
    } else {
      return {};
    }
  }
  return shape;
}

Modifiers decode(std::span<const Mod> mods, bool compares) {
  Modifiers out;
  for (const Mod each : mods) {
    switch (class_of(each)) {
      case ModClass::kType:
        if (out.type_count < 4) out.types[out.type_count++] = static_cast<Type>(raw(each));
        break;
      case ModClass::kSpace: {
        const auto space = static_cast<Space>(raw(each) - kFirstSpaceMod);
        (out.space == Space::kNone ? out.space : out.source_space) = space;
        break;
      }
      case ModClass::kOrder:
        out.order = nth<Order>(each, Mod::kWeak);
        break;
      case ModClass::kScope:
        out.scope = each == Mod::kGl ? Scope::kGpu : nth<Scope>(each, Mod::kCta);
        break;
      case ModClass::kRounding:
        out.rounding = nth<Rounding>(each, Mod::kRn);
        break;
      case ModClass::kCompare:
        out.compare = nth<Compare>(each, Mod::kEq);
        break;
      case ModClass::kOperation:
        out.operation = nth<Operation>(each, Mod::kAdd);
        break;
      case ModClass::kHalf:
        if (compares && each != Mod::kWide) {
          out.compare = each == Mod::kLo ? Compare::kLo : Compare::kHi;
        } else {
          out.half = nth<Half>(each, Mod::kLo);
        }
        break;
      case ModClass::kVector:
        out.vector = each == Mod::kV2 ? 2 : each == Mod::kV4 ? 4 : 8;
        break;
      case ModClass::kMath:
        out.ftz |= each == Mod::kFtz;
        out.sat |= each == Mod::kSat;
        out.approx |= each == Mod::kApprox;
        out.carry |= each == Mod::kCc;
        break;
      default:
        break;  // asked for by Instruction::has
    }
  }
  return out;
}

}  // namespace redflag::ptx
