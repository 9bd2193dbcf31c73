/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1 */
/* Arrays of a known size. */
#ifndef HTMM_ARRAY_H
#define HTMM_ARRAY_H

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#endif /* HTMM_ARRAY_H */
