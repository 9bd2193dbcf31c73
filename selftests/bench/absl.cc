// SPDX-License-Identifier: GPL-2.0
#include <absl/container/flat_hash_map.h>

/* After the library, which has names of its own for the same things. */
#include "shim/deps.h"
#include "bench.h"

typedef absl::flat_hash_map<u64, bench_cell> flat;

#include "flat.h"

BENCH_STORE(bench_absl, "absl-flat");
