// SPDX-License-Identifier: GPL-2.0
/*
 * htmm - hot-page sampling from hardware memory-access events
 *
 * Overflow handlers (sample/) fill rings, ksampled (drain/) empties them into the
 * hot-page tables of targets (track/, core/), and snapshots of those leave through
 * /dev/htmm and debugfs (api/). A session (session/) owns all of it from start to stop.
 */
#include <linux/module.h>
#include "api/api.h"
#include "sample/channel_set.h"
#include "session/session.h"
#include "track/walker.h"

static int __init htmm_init(void)
{
	int ret;

	ret = htmm_channel_set_register();
	if (ret)
		return ret;
	ret = htmm_frame_init();
	if (ret)
		goto err_channel_set;
	ret = htmm_shrinker_init();
	if (ret)
		goto err_frame;
	htmm_debugfs_init();
	ret = htmm_chardev_init();
	if (ret)
		goto err_debugfs;
	return 0;

err_debugfs:
	htmm_debugfs_exit();
	htmm_shrinker_exit();
err_frame:
	htmm_frame_exit();
err_channel_set:
	htmm_channel_set_unregister();
	return ret;
}

/*
 * An open /dev/htmm holds a reference on the module, so no caller can start a session here.
 * Stop a detached session that still runs.
 */
static void __exit htmm_exit(void)
{
	htmm_chardev_exit();
	htmm_debugfs_exit();
	htmm_session_exit();
	htmm_shrinker_exit();
	htmm_frame_exit();
	htmm_channel_set_unregister();
}

module_init(htmm_init);
module_exit(htmm_exit);

MODULE_DESCRIPTION("Hot-page sampling from hardware memory-access events");
MODULE_AUTHOR("The htmm developers");
MODULE_LICENSE("GPL");
