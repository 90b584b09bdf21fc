// A library that changes what it is given.
void add(int* to, int amount) {
  *to += amount;  // RACE
}
