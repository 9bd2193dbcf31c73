// SPDX-License-Identifier: GPL-2.0
/* Mappings, and the names of pages. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/maps.h"
#include "test.h"

static const char sample[] =
	"55d0c0000000-55d0c0002000 r--p 00000000 fd:01 1234   /usr/bin/my prog\n"
	"55d0c0002000-55d0c0005000 r-xp 00002000 fd:01 1234   /usr/bin/my prog\n"
	"55d0c1000000-55d0c1021000 rw-p 00000000 00:00 0      [heap]\n"
	"nonsense\n"
	"7f0000000000-7f0000001000 rw-p 00000000 00:00 0\n"
	"7f0000001000-7f0000002000 rw-s 00003000 00:01 77     /dev/shm/x (deleted)\n"
	"7f0000002000-7f0000003000 rw-p 00000000 00:00 0      //anon\n"
	"7f0000003000-7f0000004000 rw-p 00000000 00:00 0      [anon:pool]\n"
	"7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0      [stack]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n";

static bool parse(struct htmm_maps *maps, const char *text)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	int ret = file ? maps_parse(maps, file) : -1;

	if (file)
		fclose(file);
	return !ret;
}

static bool found(const struct htmm_maps *maps, u64 addr, const char *name, u64 offset)
{
	const struct htmm_mapping *mapping = htmm_maps_find(maps, addr);
	bool ok;

	if (!name)
		return !mapping;
	ok = mapping && !strcmp(mapping->name, name) &&
	     addr - mapping->start + mapping->offset == offset;
	if (!ok)
		printf("# %#llx is %s\n", addr, mapping ? mapping->name : "nothing");
	return ok;
}

static void test_parse(void)
{
	struct htmm_maps maps;

	CHECK(parse(&maps, sample));
	CHECK(maps.nr == 9);
	CHECK(found(&maps, 0x55d0c0000000, "/usr/bin/my prog", 0));
	CHECK(found(&maps, 0x55d0c0004fff, "/usr/bin/my prog", 0x4fff));
	CHECK(found(&maps, 0x55d0c1001000, "[heap]", 0x1000));
	CHECK(found(&maps, 0x7f0000000800, "[anon 7f0000000000-7f0000001000]", 0x800));
	CHECK(found(&maps, 0x7f0000001000, "/dev/shm/x (deleted)", 0x3000));
	CHECK(found(&maps, 0x7f0000002000, "[anon 7f0000002000-7f0000003000]", 0));
	CHECK(found(&maps, 0x7f0000003000, "[anon:pool]", 0));
	CHECK(found(&maps, 0x7ffd00020fff, "[stack]", 0x20fff));
	CHECK(found(&maps, 0xffffffffff600000, "[vsyscall]", 0));
	htmm_maps_free(&maps);
}

static void test_find_nothing(void)
{
	struct htmm_maps maps;

	CHECK(parse(&maps, sample));
	CHECK(found(&maps, 0, NULL, 0));
	CHECK(found(&maps, 0x55d0c0005000, NULL, 0));
	CHECK(found(&maps, 0x55d0bfffffff, NULL, 0));
	CHECK(found(&maps, 0xffffffffffffffff, NULL, 0));
	htmm_maps_free(&maps);
	CHECK(found(&maps, 0x55d0c0000000, NULL, 0));
}

static void test_odd_lines(void)
{
	struct htmm_maps maps;

	CHECK(parse(&maps, "\n"));
	CHECK(maps.nr == 0);
	CHECK(parse(&maps, "2000-1000 rw-p 0 0:0 0\n1000-1000 rw-p 0 0:0 0\n1000-2000\n"));
	CHECK(maps.nr == 0);
	CHECK(parse(&maps, "1000-2000 rw-p 00000000 00:00 0"));
	CHECK(maps.nr == 1);
	CHECK(found(&maps, 0x1000, "[anon 1000-2000]", 0));
	htmm_maps_free(&maps);
}

/* Neighbours of anonymous memory are one mapping, also with what was mapped before. */
static void test_anon(void)
{
	struct htmm_maps now, old;

	CHECK(parse(&old, "1000-3000 ---p 0 00:00 0\n3000-5000 rw-p 0 00:00 0 //anon\n"
			  "6000-7000 rw-p 0 00:00 0\n7000-8000 rw-p 0 00:00 0 [anon:pool]\n"));
	CHECK(old.nr == 3);
	CHECK(found(&old, 0x1000, "[anon 1000-5000]", 0));
	CHECK(found(&old, 0x4000, "[anon 1000-5000]", 0x3000));
	CHECK(found(&old, 0x6000, "[anon 6000-7000]", 0));
	CHECK(found(&old, 0x7000, "[anon:pool]", 0));

	CHECK(parse(&now, "2000-4000 rw-p 0 00:00 0\n5000-6000 rw-p 0 00:00 0\n"
			  "6000-7000 rw-p 0 00:00 1 /file\n"));
	CHECK(!maps_merge(&now, &old));
	CHECK(now.nr == 3);
	CHECK(found(&now, 0x1000, "[anon 1000-6000]", 0));
	CHECK(found(&now, 0x5fff, "[anon 1000-6000]", 0x4fff));
	CHECK(found(&now, 0x6000, "/file", 0));
	htmm_maps_free(&now);
}

/* What is mapped now wins; what was mapped before fills the gaps. */
static void test_merge(void)
{
	struct htmm_maps now, old;

	CHECK(parse(&old, "1000-9000 r--p 00010000 00:00 1 /old\n"
			  "a000-b000 rw-p 0 00:00 0 [heap]\n"));
	CHECK(parse(&now, "3000-4000 r--p 00000000 00:00 1 /new\n6000-7000 rw-p 0 00:00 0\n"));
	CHECK(!maps_merge(&now, &old));
	CHECK(old.nr == 0 && !old.map);
	CHECK(now.nr == 6);
	CHECK(found(&now, 0xfff, NULL, 0));
	CHECK(found(&now, 0x1000, "/old", 0x10000));
	CHECK(found(&now, 0x3000, "/new", 0));
	CHECK(found(&now, 0x4000, "/old", 0x13000));
	CHECK(found(&now, 0x6fff, "[anon 6000-7000]", 0xfff));
	CHECK(found(&now, 0x8fff, "/old", 0x17fff));
	CHECK(found(&now, 0x9000, NULL, 0));
	CHECK(found(&now, 0xafff, "[heap]", 0xfff));

	CHECK(parse(&old, "1000-2000 r--p 00010000 00:00 1 /covered\n"));
	CHECK(!maps_merge(&now, &old));
	CHECK(now.nr == 6);
	htmm_maps_free(&now);
}

/* Merging against a plain map of pages, with random mappings. */
static void test_merge_random(void)
{
	enum { PAGES = 64, ROUNDS = 300 };
	int round;

	for (round = 0; round < ROUNDS; round++) {
		struct htmm_maps maps[2];
		int owner[PAGES] = {}, which;
		u64 page;

		for (which = 0; which < 2; which++) {
			char text[8192] = "", *end = text;

			for (page = tap_below(6); page < PAGES; page += tap_below(4)) {
				u64 stop = page + 1 + tap_below(8), i;

				end += sprintf(end, "%llx-%llx r--p 00000000 00:00 1 /%d\n",
					       page << 12, stop << 12, which);
				for (i = page; i < stop && i < PAGES; i++)
					owner[i] = which + 1;
				page = stop;
			}
			CHECK(parse(&maps[which], text[0] ? text : "\n"));
		}
		CHECK(!maps_merge(&maps[1], &maps[0]));
		for (page = 0; page < PAGES; page++) {
			const struct htmm_mapping *mapping = htmm_maps_find(&maps[1], page << 12);

			CHECK(!!mapping == !!owner[page]);
			CHECK(!mapping || mapping->name[1] == '0' + owner[page] - 1);
		}
		htmm_maps_free(&maps[1]);
	}
}

static bool place_is(struct htmm_names *names, const struct htmm_page *page,
		     const char *mapping, u64 offset)
{
	struct htmm_place place = htmm_names_find(names, page);
	bool ok = !strcmp(place.mapping, mapping) && place.offset == offset;

	if (!ok)
		printf("# %s+%#llx (%s)\n", place.mapping, place.offset, place.comm);
	return ok;
}

/* A child that has this process's mappings and lives until it is killed. */
static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	return pid;
}

/* Tells if a page is of anonymous memory that is named by its range. */
static bool is_anon(struct htmm_names *names, const struct htmm_page *page)
{
	struct htmm_place place = htmm_names_find(names, page);
	u64 start, end;
	bool ok;

	ok = sscanf(place.mapping, "[anon %llx-%llx]", &start, &end) == 2 &&
	     page->addr < end && page->addr - start == place.offset;
	if (!ok)
		printf("# target %u space %u: %s\n", page->target, page->space, place.mapping);
	return ok;
}

/* A copy of what is known, by way of a file, that has seen the same pages. */
static struct htmm_names *by_file(const struct htmm_names *names, const struct htmm_page_list *list)
{
	struct htmm_names *copy = htmm_names_new();
	FILE *file = tmpfile(), *again = tmpfile();

	htmm_names_save(names, file);
	CHECK(ftell(file) > 0);
	rewind(file);
	CHECK(!htmm_names_load(copy, file));
	/* What is known already does not come twice. */
	rewind(file);
	CHECK(!htmm_names_load(copy, file));
	htmm_names_save(copy, again);
	CHECK(ftell(again) == ftell(file));
	fclose(again);
	fclose(file);
	htmm_names_note(copy, 0, list);
	return copy;
}

static void test_names_saved(void)
{
	char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct htmm_page pages[] = {
		{ .addr = (u64)(unsigned long)memory + 4096, .space = 1 },
		{ .addr = (u64)(unsigned long)test_names_saved & ~4095ULL, .space = 1 },
	};
	struct htmm_page_list list = { pages, 2 };
	struct htmm_names *names = htmm_names_new(), *copy;
	pid_t parent = sleeper();
	struct htmm_place place;
	u64 offset;

	pages[0].pid = parent;
	pages[1].pid = parent;
	CHECK(!htmm_names_refresh(names, parent));
	CHECK(!htmm_names_refresh(names, getpid()));
	offset = htmm_names_find(names, &pages[1]).offset;
	/* It lives: then it is asked, too. */
	copy = by_file(names, &list);
	CHECK(is_anon(copy, &pages[0]));
	htmm_names_free(copy);

	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	pages[0].flags = HTMM_PAGE_EXITED;
	pages[1].flags = HTMM_PAGE_EXITED;
	copy = by_file(names, &list);
	CHECK(is_anon(copy, &pages[0]));
	place = htmm_names_find(copy, &pages[1]);
	CHECK(strstr(place.mapping, "/test_maps") && place.offset == offset && offset);
	CHECK(!strcmp(place.comm, "test_maps"));
	htmm_names_free(copy);
	htmm_names_free(names);
	munmap(memory, 8192);
}

static void test_names_survive_exit(void)
{
	char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct htmm_page page = { .addr = (u64)(unsigned long)memory + 4096, .space = 1 };
	struct htmm_page_list list = { &page, 1 };
	struct htmm_names *names = htmm_names_new();
	pid_t pid = sleeper();

	CHECK(memory != MAP_FAILED && names && pid > 0);
	page.pid = pid;
	CHECK(!htmm_names_refresh(names, pid));
	CHECK(is_anon(names, &page));

	kill(pid, SIGKILL);
	waitid(P_PID, pid, NULL, WEXITED | WNOWAIT);
	CHECK(htmm_names_refresh(names, pid) == -ESRCH);
	waitpid(pid, NULL, 0);
	CHECK(htmm_names_refresh(names, pid) < 0);

	page.flags = HTMM_PAGE_EXITED;
	htmm_names_note(names, 1, &list);
	CHECK(is_anon(names, &page));
	CHECK(!strcmp(htmm_names_find(names, &page).comm, "test_maps"));
	/* An address that was never mapped, and an address space before exec(). */
	page.addr = 4096;
	CHECK(place_is(names, &page, "[exited]", 0));
	page.addr = (u64)(unsigned long)memory;
	page.space = 0;
	CHECK(place_is(names, &page, "[exited]", 0));
	/* Without a pid here it may live all the same. */
	page.pid = 0;
	CHECK(place_is(names, &page, "[exited]", 0));
	page.flags = 0;
	CHECK(place_is(names, &page, "[other pid namespace]", 0));
	htmm_names_free(names);
	munmap(memory, 8192);
}

/* Memory that was given back before the last look is still known. */
static void test_names_of_the_past(void)
{
	char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct htmm_names *names = htmm_names_new();
	struct htmm_page page = {
		.addr = (u64)(unsigned long)memory, .pid = getpid(), .space = 1,
	};

	CHECK(memory != MAP_FAILED);
	CHECK(!htmm_names_refresh(names, page.pid));
	CHECK(!munmap(memory, 4096));
	CHECK(!htmm_names_refresh(names, page.pid));
	CHECK(place_is(names, &page, "/dev/zero (deleted)", 0));
	htmm_names_free(names);
}

static bool mapping_is(struct htmm_names *names, const struct htmm_page *page,
		       const char *mapping)
{
	struct htmm_place place = htmm_names_find(names, page);
	bool ok = !strcmp(place.mapping, mapping);

	if (!ok)
		printf("# target %u space %u: %s\n", page->target, page->space, place.mapping);
	return ok;
}

static char *map_page(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Each target numbers address spaces on its own. */
static void test_names_targets(void)
{
	char *memory = map_page();
	u64 addr = (u64)(unsigned long)memory;
	struct htmm_page pages[] = {
		{ .addr = addr, .pid = getpid(), .target = 1, .space = 7 },
		{ .addr = addr, .pid = getpid(), .target = 2, .space = 3 },
		{ .addr = addr, .pid = getpid(), .target = 2, .space = 2,
		  .flags = HTMM_PAGE_EXITED },
		/* Numbers begin anew after the last one. */
		{ .addr = addr, .pid = getpid(), .target = 3, .space = 1 },
		{ .addr = addr, .pid = getpid(), .target = 3, .space = 9,
		  .flags = HTMM_PAGE_EXITED },
		/* Where none lives, the highest is the newest. */
		{ .addr = addr, .pid = getpid(), .target = 4, .space = 6,
		  .flags = HTMM_PAGE_EXITED },
		{ .addr = addr, .pid = getpid(), .target = 4, .space = 5,
		  .flags = HTMM_PAGE_EXITED },
	};
	struct htmm_page_list list = { pages, ARRAY_SIZE(pages) }, older = { &pages[2], 1 };
	struct htmm_names *names = htmm_names_new();

	htmm_names_note(names, 1, &list);
	CHECK(is_anon(names, &pages[0]));
	CHECK(is_anon(names, &pages[1]));
	CHECK(mapping_is(names, &pages[2], "[exited]"));
	CHECK(is_anon(names, &pages[3]));
	CHECK(mapping_is(names, &pages[4], "[exited]"));
	CHECK(is_anon(names, &pages[5]));
	CHECK(mapping_is(names, &pages[6], "[exited]"));
	/* A list need not have the newest pages. */
	htmm_names_note(names, 1, &older);
	CHECK(is_anon(names, &pages[1]));
	CHECK(mapping_is(names, &pages[2], "[exited]"));
	htmm_names_free(names);
	munmap(memory, 4096);
}

/* Another session numbers address spaces anew, and has nothing to do with those before. */
static void test_names_sessions(void)
{
	char *memory = map_page();
	struct htmm_page page = {
		.addr = (u64)(unsigned long)memory, .pid = getpid(), .target = 1, .space = 5,
	};
	struct htmm_page_list list = { &page, 1 };
	struct htmm_names *names = htmm_names_new();

	htmm_names_note(names, 1, &list);
	CHECK(is_anon(names, &page));
	page.space = 1;
	htmm_names_note(names, 2, &list);
	CHECK(is_anon(names, &page));
	/* A process of the same pid that has exited is another one. */
	page.flags = HTMM_PAGE_EXITED;
	htmm_names_note(names, 3, &list);
	CHECK(mapping_is(names, &page, "[exited]"));
	htmm_names_free(names);
	munmap(memory, 4096);
}

/**
 * struct changer - a child that maps memory, and runs another program when it is told to
 * @pid: the child
 * @tell: where to
 * @hear: the address of its memory comes from here, then a line of the other program
 */
struct changer {
	pid_t pid;
	int tell;
	int hear;
};

static bool changer_start(struct changer *changer)
{
	int tell[2], hear[2];
	char *memory;

	if (pipe(tell) || pipe(hear))
		return false;
	changer->tell = tell[1];
	changer->hear = hear[0];
	changer->pid = fork();
	if (!changer->pid) {
		/* It ends with this process, too. */
		close(tell[1]);
		close(hear[0]);
		memory = map_page();
		if (write(hear[1], &memory, sizeof(memory)) != sizeof(memory) ||
		    read(tell[0], &memory, 1) != 1)
			_exit(1);
		dup2(tell[0], 0);
		dup2(hear[1], 1);
		execlp("sh", "sh", "-c", "echo 1234567; read x", NULL);
		_exit(1);
	}
	close(tell[0]);
	close(hear[1]);
	return changer->pid > 0;
}

static bool changer_hear(const struct changer *changer, u64 *word)
{
	return read(changer->hear, word, sizeof(*word)) == sizeof(*word);
}

static void changer_end(const struct changer *changer)
{
	kill(changer->pid, SIGKILL);
	waitpid(changer->pid, NULL, 0);
	close(changer->tell);
	close(changer->hear);
}

/* After exec() the old mappings are those of nobody. */
static void test_names_exec(void)
{
	struct htmm_page page = { .target = 1, .space = 1 }, stale;
	struct htmm_page_list list = { &page, 1 };
	struct htmm_names *names = htmm_names_new(), *watched = htmm_names_new();
	struct changer changer;
	u64 line;

	CHECK(changer_start(&changer) && changer_hear(&changer, &page.addr));
	page.pid = changer.pid;
	stale = page;
	htmm_names_note(names, 1, &list);
	CHECK(is_anon(names, &page));
	CHECK(!htmm_names_refresh(watched, page.pid) && is_anon(watched, &page));

	CHECK(write(changer.tell, "x", 1) == 1 && changer_hear(&changer, &line));
	page.space = 2;
	htmm_names_note(names, 1, &list);
	CHECK(mapping_is(names, &stale, "[exited]"));
	CHECK(mapping_is(names, &page, "[unmapped]"));
	CHECK(!strcmp(htmm_names_find(names, &page).comm, "sh"));
	/* Who only reads it again and again finds out, too. */
	CHECK(!htmm_names_refresh(watched, page.pid) && mapping_is(watched, &page, "[unmapped]"));

	changer_end(&changer);
	htmm_names_free(watched);
	htmm_names_free(names);
}

static void test_names_unknown(void)
{
	struct htmm_names *names = htmm_names_new();
	struct htmm_page page = { .addr = 4096, .pid = getpid(), .space = 1 };

	CHECK(place_is(names, &page, "[unmapped]", 0));
	page.pid = 0;
	CHECK(place_is(names, &page, "[other pid namespace]", 0));
	/* A process that has exited is not looked up: its pid may be another's. */
	page.pid = getppid();
	page.flags = HTMM_PAGE_EXITED;
	CHECK(place_is(names, &page, "[exited]", 0));
	htmm_names_free(names);
	htmm_names_free(NULL);
}

/* What is wrong is said as it is: too little room is not that nothing is mounted. */
static void test_cgroup_mount(void)
{
	struct htmm_error err = {};
	char path[4096], none[1];
	int ret = htmm_cgroup_mount(path, sizeof(path), &err);

	if (ret)
		CHECK(refused(ret, ENOENT, &err, "not mounted"));
	else
		CHECK(refused(htmm_cgroup_mount(none, sizeof(none), &err), ENAMETOOLONG, &err,
			      "too long"));
}

int main(void)
{
	static const struct tap_test tests[] = {
		TAP_TEST(test_parse),
		TAP_TEST(test_find_nothing),
		TAP_TEST(test_odd_lines),
		TAP_TEST(test_anon),
		TAP_TEST(test_merge),
		TAP_TEST(test_merge_random),
		TAP_TEST(test_names_survive_exit),
		TAP_TEST(test_names_saved),
		TAP_TEST(test_names_of_the_past),
		TAP_TEST(test_names_targets),
		TAP_TEST(test_names_sessions),
		TAP_TEST(test_names_exec),
		TAP_TEST(test_names_unknown),
		TAP_TEST(test_cgroup_mount),
	};

	return tap_main(tests, ARRAY_SIZE(tests));
}
