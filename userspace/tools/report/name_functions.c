// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "functions.h"
#include "htmmctl/command.h"
#include "lib/array.h"
#include "perfdata/format.h"
#include "symbols.h"

/* Most files that are said to have changed, one by one. */
#define SAY_MOST	5

/**
 * struct naming - the search for names
 * @functions: what is named
 * @tasks: the processes
 * @notes: what the file says of builds
 * @by_text: the functions by file and name
 * @ids: build ids by the name of the file
 * @paths: paths that files with different inodes had
 * @changed: files that are not the recorded ones any more
 */
struct naming {
	struct functions *functions;
	const struct tasks *tasks;
	const struct perfdata_notes *notes;
	struct idmap by_text;
	struct idmap ids;
	struct idmap paths;
	unsigned int changed;
};

static bool is(const struct functions_named *named, const char *file, const char *name)
{
	return !strcmp(named->file, file) && !named->name == !name &&
	       (!name || !strcmp(named->name, name));
}

static int count(struct naming *naming, const char *file, const char *name, __u64 samples)
{
	const __u64 id[] = { idmap_hash(file, strlen(file)),
			     name ? idmap_hash(name, strlen(name)) : 0 };
	struct functions *functions = naming->functions;
	__u64 key = idmap_hash(id, sizeof(id));
	struct functions_named *named;
	__s64 number;

	for (; (number = idmap_get(&naming->by_text, key)) >= 0; key++) {
		named = &functions->named[number];
		if (is(named, file, name)) {
			named->samples += samples;
			return 0;
		}
	}
	named = array_grow(functions->named, functions->nr_named, &functions->room_named,
			   sizeof(*named));
	if (!named)
		return -ENOMEM;
	functions->named = named;
	if (idmap_set(&naming->by_text, key, functions->nr_named))
		return -ENOMEM;
	named = &functions->named[functions->nr_named++];
	*named = (struct functions_named) {
		.file = strdup(file), .name = name ? strdup(name) : NULL, .samples = samples,
	};
	return named->file && !named->name == !name ? 0 : -ENOMEM;
}

static const struct build_id *id_of(const struct naming *naming, const char *name)
{
	const __s64 number = idmap_get(&naming->ids, idmap_hash(name, strlen(name)));
	const struct perfdata_named_id *named;

	if (number < 0)
		return NULL;
	named = &naming->notes->build_id[number];
	return strcmp(named->name, name) ? NULL : &named->id;
}

/* Learns which build ids there are, and which paths are those of different files. */
static int prepare(struct naming *naming)
{
	size_t i;

	for (i = 0; i < naming->notes->nr_build_ids; i++) {
		const char *name = naming->notes->build_id[i].name;

		if (idmap_set(&naming->ids, idmap_hash(name, strlen(name)), i))
			return -ENOMEM;
	}
	for (i = 0; i < naming->tasks->nr_names; i++) {
		const char *name = naming->tasks->name[i].text;
		const __u64 key = idmap_hash(name, strlen(name));

		if (idmap_set(&naming->paths, key, idmap_get(&naming->paths, key) >= 0))
			return -ENOMEM;
	}
	return 0;
}

static void say_changed(struct naming *naming, const char *path)
{
	if (naming->changed++ < SAY_MOST)
		notice("'%s' is not the file that was recorded; its functions have no names", path);
}

/* Reads the symbols of a file by what the recording says of it. */
static void read_file(struct naming *naming, struct symbols *symbols, __u32 number)
{
	const struct tasks_name *name = &naming->tasks->name[number];
	const struct build_id *id = id_of(naming, name->text);
	struct symbols_wanted wanted = { .path = name->text };

	if (name->dev == PERFDATA_DEV_BUILD_ID) {
		memcpy(wanted.id.bytes, &name->ino, sizeof(name->ino));
		wanted.id_bytes = sizeof(name->ino);
	} else if (name->dev) {
		wanted.ino = name->ino;
	}
	if (id && !memcmp(id->bytes, wanted.id.bytes, wanted.id_bytes)) {
		wanted.id = *id;
		wanted.id_bytes = id->len;
	}
	wanted.by_inode = idmap_get(&naming->paths, idmap_hash(name->text, strlen(name->text))) > 0;
	if (symbols_of_file(symbols, &wanted) == -ESTALE)
		say_changed(naming, name->text);
}

/* The kernel's symbols are of use only if it is the same build. */
static void read_kernel(struct naming *naming, struct symbols *symbols)
{
	const struct functions *functions = naming->functions;
	const struct build_id *recorded = id_of(naming, PERFDATA_KERNEL);
	struct build_id id = {};
	int ret = -ESTALE;

	if (recorded && *functions->kernel_symbol && !build_id_of_kernel(&id) &&
	    !memcmp(id.bytes, recorded->bytes, id.len))
		ret = symbols_of_kernel(symbols, functions->kernel_symbol, functions->kernel_addr);
	if (ret == -EPERM)
		notice("functions of the kernel have no names: it hides its addresses; use sudo");
	else if (ret)
		notice("functions of the kernel have no names: it is not the kernel recorded");
}

/* Reads what a process says of the code that it makes while it runs. */
static void read_map(struct naming *naming, struct symbols *symbols, __u32 space, char *path,
		     size_t size)
{
	const __u32 pid = naming->tasks->space[space].pid;

	snprintf(path, size, "/tmp/perf-%u.map", pid);
	if (symbols_of_map(symbols, path) == -EPERM)
		notice("'%s' is neither root's nor your own, so it is not used", path);
}

/* A function of the kernel's modules has its module behind its name. */
static int count_kernel(struct naming *naming, const char *name, __u64 samples)
{
	const char *module = name ? strchr(name, ' ') : NULL;
	char *plain;
	int ret;

	if (!module)
		return count(naming, PERFDATA_KERNEL, name, samples);
	plain = strndup(name, module - name);
	ret = plain ? count(naming, module + 1, plain, samples) : -ENOMEM;
	free(plain);
	return ret;
}

/* Names instructions of one file, of one process's own code, or of the kernel. */
static int name_some(struct naming *naming, const struct functions_place *place, size_t nr)
{
	const bool kernel = place->name == FUNCTIONS_KERNEL;
	const bool file = !kernel && tasks_is_file(naming->tasks, place->name);
	struct symbols symbols = {};
	char map[32];
	int ret = 0;
	size_t i;

	if (kernel)
		read_kernel(naming, &symbols);
	else if (file)
		read_file(naming, &symbols, place->name);
	else
		read_map(naming, &symbols, place->space, map, sizeof(map));
	for (i = 0; i < nr && !ret; i++) {
		const char *name = symbols_find(&symbols, place[i].at);

		if (kernel)
			ret = count_kernel(naming, name, place[i].samples);
		else if (!file && name)
			ret = count(naming, map, name, place[i].samples);
		else
			ret = count(naming, tasks_name_text(naming->tasks, place->name), name,
				    place[i].samples);
	}
	symbols_free(&symbols);
	return ret;
}

static int by_owner(const void *a, const void *b)
{
	const struct functions_place *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->space < y->space ? -1 : x->space > y->space;
}

static int by_samples(const void *a, const void *b)
{
	const struct functions_named *x = a, *y = b;
	int order;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	order = strcmp(x->file, y->file);
	return order ? order : strcmp(x->name ?: "", y->name ?: "");
}

static int name_all(struct naming *naming)
{
	struct functions *functions = naming->functions;
	struct functions_place *place = functions->place;
	__u32 from, to;
	int ret = prepare(naming);

	if (functions->nr)
		qsort(place, functions->nr, sizeof(*place), by_owner);
	for (from = 0; from < functions->nr && !ret; from = to) {
		for (to = from + 1; to < functions->nr && !by_owner(&place[from], &place[to]);)
			to++;
		ret = name_some(naming, &place[from], to - from);
	}
	if (!ret && functions->nowhere)
		ret = count(naming, "[unknown]", NULL, functions->nowhere);
	if (!ret && functions->nr_named)
		qsort(functions->named, functions->nr_named, sizeof(*functions->named), by_samples);
	if (naming->changed > SAY_MOST)
		notice("%u more files are not those that were recorded",
		       naming->changed - SAY_MOST);
	return ret;
}

int functions_name(struct functions *functions, const struct tasks *tasks,
		   const struct perfdata_notes *notes)
{
	struct naming naming = { .functions = functions, .tasks = tasks, .notes = notes };
	int ret = name_all(&naming);

	idmap_free(&naming.by_text);
	idmap_free(&naming.ids);
	idmap_free(&naming.paths);
	return ret;
}
