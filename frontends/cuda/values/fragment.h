// Where the elements of a matrix are in the registers of a warp.
//
// mma: the layouts of PTX ISA 9.7.14.5, which one formula gives. With e elements in a register, lane =
// 4 * group + member, register r and element i in it:
//   A  row group + 8 * (r mod 2) of 16 rows, group of 8; column e * member + i + 4e * (r / 2), of 8 rows r
//   B  row e * member + i + 4e * r, column group
//   C  row group + 8 * (j / 2), column 2 * member + j mod 2, for the lane's element j
//
// wmma: the manual leaves the layout open, and programs may not depend on it. Here the elements are in
// row-major order over lanes: lane l has elements l * n to l * n + n - 1, n in each lane; where the lanes
// hold more than the matrix has (f16 operands have 16 in each), they begin again from the first. A machine's
// wmma.load and wmma.store use wmma_element, in whichever order memory has the matrix.
#pragma once

#include <cstdint>

namespace redflag::cuda {

struct MatrixPlace {
  unsigned row;
  unsigned column;
};

constexpr MatrixPlace mma_place_a(unsigned rows, unsigned per_register, unsigned lane, unsigned reg,
                                  unsigned element) {
  const unsigned group = lane / 4;
  const unsigned column = per_register * (lane % 4) + element;
  if (rows == 8) return {group, column + 4 * per_register * reg};
  return {group + 8 * (reg % 2), column + 4 * per_register * (reg / 2)};
}
constexpr MatrixPlace mma_place_b(unsigned per_register, unsigned lane, unsigned reg,
                                  unsigned element) {
  return {per_register * (lane % 4) + element + 4 * per_register * reg, lane / 4};
}
constexpr MatrixPlace mma_place_c(unsigned lane, unsigned element) {
  return {lane / 4 + 8 * (element / 2), 2 * (lane % 4) + element % 2};
}

// The place of a lane's element of a wmma fragment. `per_lane`: elements in each lane's registers.
constexpr MatrixPlace wmma_element(unsigned rows, unsigned columns, unsigned per_lane,
                                   unsigned lane, unsigned element) {
  const unsigned number = (lane * per_lane + element) % (rows * columns);
  return {number / columns, number % columns};
}

}  // namespace redflag::cuda
