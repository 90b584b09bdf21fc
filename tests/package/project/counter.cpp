#include "counter.h"

static int visits = 0;

void visit() {
  ++visits;  // RACE
}
