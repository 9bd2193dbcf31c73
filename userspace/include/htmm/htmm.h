/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* libhtmm: all of its headers. */
#ifndef HTMM_HTMM_H
#define HTMM_HTMM_H

#include <htmm/catalog.h>
#include <htmm/cpus.h>
#include <htmm/device.h>
#include <htmm/target.h>
#include <htmm/error.h>
#include <htmm/event.h>
#include <htmm/maps.h>
#include <htmm/names.h>
#include <htmm/text.h>
#include <htmm/tiers.h>

#endif /* HTMM_HTMM_H */
