/* SPDX-License-Identifier: GPL-2.0 */
/* A libpfm4 that finds what a test wants it to find; the linker makes the calls go there. */
#ifndef FAKE_PFM_H
#define FAKE_PFM_H

#include <perfmon/pfmlib.h>

pfm_err_t __real_pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info);
pfm_err_t __wrap_pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info);

#endif /* FAKE_PFM_H */
