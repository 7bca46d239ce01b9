#include "sumsq.h"
