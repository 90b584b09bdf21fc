#include "frontends/cuda/emulate/testing.h"
