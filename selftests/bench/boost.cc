// SPDX-License-Identifier: GPL-2.0
#include <boost/unordered/unordered_flat_map.hpp>

/* After the library, which has names of its own for the same things. */
#include "shim/deps.h"
#include "bench.h"

typedef boost::unordered_flat_map<u64, bench_cell> flat;

#include "flat.h"

BENCH_STORE(bench_boost, "boost-flat");
