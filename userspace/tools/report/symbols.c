// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lib/array.h"
#include "symbols.h"

#define DEBUG_DIR	"/usr/lib/debug"
#define KALLSYMS	"/proc/kallsyms"
/* Symbols inside of others: how many to look at before giving up. */
#define NESTED_MOST	16
/* A symbol of a table goes before one that is made up here. */
#define RANK_MADE	(-1000)
/* The longest name that is made up, without what is added to it. */
#define SYMBOL_MOST	1024
/* Bytes of jmp *offset(%rip) on x86-64. */
#define JUMP_BYTES	6

static int add(struct symbols *symbols, __u64 start, __u64 size, int rank, const char *name)
{
	struct symbol *symbol = array_grow(symbols->symbol, symbols->nr, &symbols->room,
					   sizeof(*symbol));

	if (!symbol)
		return -ENOMEM;
	symbols->symbol = symbol;
	symbol = &symbols->symbol[symbols->nr];
	*symbol = (struct symbol) {
		.start = start, .end = size ? start + size : 0, .rank = rank, .name = strdup(name),
	};
	if (!symbol->name)
		return -ENOMEM;
	symbols->nr++;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Sorts them, keeps one of those that begin at one address, and ends those without a size. */
static void finish(struct symbols *symbols)
{
	size_t i, kept = 0;

	if (!symbols->nr)
		return;
	qsort(symbols->symbol, symbols->nr, sizeof(*symbols->symbol), by_start);
	for (i = 1; i < symbols->nr; i++) {
		if (symbols->symbol[i].start == symbols->symbol[kept].start)
			free(symbols->symbol[i].name);
		else
			symbols->symbol[++kept] = symbols->symbol[i];
	}
	symbols->nr = kept + 1;
	for (i = 0; i + 1 < symbols->nr; i++)
		if (!symbols->symbol[i].end)
			symbols->symbol[i].end = symbols->symbol[i + 1].start;
}

/* Opens a file that may be anything: neither a device nor a pipe is to be waited for. */
static int open_regular(const char *path, struct stat *stat)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	if (!fstat(fd, stat) && S_ISREG(stat->st_mode))
		return fd;
	close(fd);
	return -ENOENT;
}

static int read_segments(struct symbols *symbols, Elf *elf)
{
	struct symbols_segment *segment;
	size_t nr = 0, i;
	GElf_Phdr head;

	elf_getphdrnum(elf, &nr);
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &head) || head.p_type != PT_LOAD)
			continue;
		segment = array_grow(symbols->segment, symbols->nr_segments,
				     &symbols->room_segments, sizeof(*segment));
		if (!segment)
			return -ENOMEM;
		symbols->segment = segment;
		symbols->segment[symbols->nr_segments++] = (struct symbols_segment) {
			.offset = head.p_offset, .size = head.p_filesz, .addr = head.p_vaddr,
		};
	}
	return symbols->nr_segments ? 0 : -ENOEXEC;
}

/* Of several names for one function, the one that others see, with the fewest underscores. */
static int rank_of(const GElf_Sym *sym, const char *name)
{
	const int bind = GELF_ST_BIND(sym->st_info);

	return (sym->st_size ? 100 : 0) + (bind == STB_GLOBAL ? 20 : bind == STB_WEAK ? 10 : 0) -
	       (int)strspn(name, "_");
}

static int read_table(struct symbols *symbols, Elf *elf, Elf_Scn *section, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t nr = data && head->sh_entsize ? head->sh_size / head->sh_entsize : 0;
	GElf_Sym sym;
	size_t i;

	for (i = 0; i < nr && i < INT_MAX; i++) {
		const char *name;
		int type;

		if (!gelf_getsym(data, i, &sym))
			break;
		type = GELF_ST_TYPE(sym.st_info);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, head->sh_link, sym.st_name);
		if (name && *name &&
		    add(symbols, sym.st_value, sym.st_size, rank_of(&sym, name), name))
			return -ENOMEM;
	}
	return 0;
}

/* Reads all tables of a type. */
static int read_tables(struct symbols *symbols, Elf *elf, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	int ret = 0;

	while (!ret && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &head) && head.sh_type == type)
			ret = read_table(symbols, elf, section, &head);
	return ret;
}

/**
 * struct slot - a place where the loader puts the address of a function of another file
 * @addr: its address
 * @name: the function
 */
struct slot {
	__u64 addr;
	const char *name;
};

struct slots {
	struct slot *slot;
	size_t nr;
	size_t room;
};

static int by_addr(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Reads the slots of a table of relocations. */
static int read_slots(struct slots *slots, Elf *elf, Elf_Scn *section, const GElf_Shdr *head)
{
	Elf_Scn *table = elf_getscn(elf, head->sh_link);
	Elf_Data *data = elf_getdata(section, NULL), *symbols;
	GElf_Shdr table_head;
	GElf_Rela entry;
	GElf_Sym sym;
	int i;

	if (!table || !gelf_getshdr(table, &table_head))
		return 0;
	symbols = elf_getdata(table, NULL);
	for (i = 0; i < INT_MAX && gelf_getrela(data, i, &entry); i++) {
		const GElf_Xword type = GELF_R_TYPE(entry.r_info);
		struct slot *slot;
		const char *name;

		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
			continue;
		if (!gelf_getsym(symbols, GELF_R_SYM(entry.r_info), &sym))
			continue;
		name = elf_strptr(elf, table_head.sh_link, sym.st_name);
		if (!name || !*name)
			continue;
		slot = array_grow(slots->slot, slots->nr, &slots->room, sizeof(*slot));
		if (!slot)
			return -ENOMEM;
		slots->slot = slot;
		slots->slot[slots->nr++] = (struct slot) { .addr = entry.r_offset, .name = name };
	}
	return 0;
}

/* The slot through which code jumps, if it does: jmp *offset(%rip). */
static const struct slot *slot_of(const struct slots *slots, const __u8 *code, size_t size,
				  __u64 addr)
{
	const struct slot *slot = NULL;
	size_t at;

	for (at = 0; slots->nr && !slot && at + JUMP_BYTES <= size; at++) {
		struct slot wanted = {};
		__s32 offset;

		if (code[at] != 0xff || code[at + 1] != 0x25)
			continue;
		memcpy(&offset, code + at + 2, sizeof(offset));
		wanted.addr = addr + at + JUMP_BYTES + offset;
		slot = bsearch(&wanted, slots->slot, slots->nr, sizeof(wanted), by_addr);
	}
	return slot;
}

/*
 * Names the code that the linker has made for calls of other files' functions. It has no symbols,
 * and would be taken for the end of the one before it (_init). What jumps elsewhere, as to the
 * loader, has the name of the section.
 */
static int read_plt(struct symbols *symbols, const struct slots *slots, Elf_Scn *section,
		    const GElf_Shdr *head, const char *name)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t size = head->sh_entsize == 8 ? 8 : 16;
	char call[SYMBOL_MOST + sizeof("@plt")];
	size_t at;
	int ret = 0;

	for (at = 0; !ret && data && data->d_buf && at + size <= data->d_size; at += size) {
		const __u64 addr = head->sh_addr + at;
		const struct slot *slot = slot_of(slots, (__u8 *)data->d_buf + at, size, addr);

		if (slot)
			snprintf(call, sizeof(call), "%.*s@plt", SYMBOL_MOST, slot->name);
		ret = add(symbols, addr, size, RANK_MADE, slot ? call : name);
	}
	return ret;
}

static int read_plts(struct symbols *symbols, Elf *elf)
{
	Elf_Scn *section = NULL;
	struct slots slots = {};
	size_t names = 0;
	GElf_Ehdr ehdr;
	GElf_Shdr head;
	int ret = 0;

	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64 ||
	    elf_getshdrstrndx(elf, &names))
		return 0;
	while (!ret && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &head) && head.sh_type == SHT_RELA)
			ret = read_slots(&slots, elf, section, &head);
	if (slots.nr)
		qsort(slots.slot, slots.nr, sizeof(*slots.slot), by_addr);
	while (!ret && (section = elf_nextscn(elf, section))) {
		const char *name = NULL;

		if (gelf_getshdr(section, &head) && head.sh_type == SHT_PROGBITS)
			name = elf_strptr(elf, names, head.sh_name);
		if (name && (!strcmp(name, ".plt") || !strncmp(name, ".plt.", 5)))
			ret = read_plt(symbols, &slots, section, &head, name);
	}
	free(slots.slot);
	return ret;
}

/* What is read of a file: symbols, where they are in it, what the linker has made. */
enum part { PART_SYMTAB = 1, PART_DYNSYM = 2, PART_SEGMENTS = 4, PART_PLTS = 8 };

static int read_elf(struct symbols *symbols, const char *path, unsigned int parts)
{
	struct stat stat;
	Elf *elf;
	int fd, ret;

	elf_version(EV_CURRENT);
	fd = open_regular(path, &stat);
	if (fd < 0)
		return fd;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	ret = !elf || elf_kind(elf) != ELF_K_ELF ? -ENOEXEC : 0;
	if (!ret && parts & PART_SEGMENTS)
		ret = read_segments(symbols, elf);
	if (!ret && parts & PART_SYMTAB)
		ret = read_tables(symbols, elf, SHT_SYMTAB);
	if (!ret && parts & PART_DYNSYM)
		ret = read_tables(symbols, elf, SHT_DYNSYM);
	if (!ret && parts & PART_PLTS)
		ret = read_plts(symbols, elf);
	elf_end(elf);
	close(fd);
	return ret;
}

static void hex_of(char *hex, const struct build_id *id)
{
	unsigned int i;

	for (i = 0; i < id->len; i++)
		sprintf(hex + 2 * i, "%02x", id->bytes[i]);
}

/* Is this the recorded file? Fills its own build id, if it has one. */
static int check(const char *path, const struct symbols_wanted *wanted, struct build_id *id)
{
	struct stat stat;
	int fd = open_regular(path, &stat);
	bool has_id;

	if (fd < 0)
		return fd;
	close(fd);
	has_id = !build_id_of_file(path, id);
	if (wanted->id_bytes && (!has_id || memcmp(id->bytes, wanted->id.bytes, wanted->id_bytes)))
		return -ESTALE;
	if ((!wanted->id_bytes || wanted->by_inode) && wanted->ino && stat.st_ino != wanted->ino)
		return -ESTALE;
	return 0;
}

/* perf keeps files of recordings by their build ids. */
static int check_cache(char path[PATH_MAX], const struct symbols_wanted *wanted,
		       struct build_id *id)
{
	const struct symbols_wanted by_id = { .id = wanted->id, .id_bytes = wanted->id_bytes };
	const char *home = getenv("HOME");
	char hex[2 * BUILD_ID_MAX + 1] = "";

	if (wanted->id_bytes < BUILD_ID_MAX || !home)
		return -ENOENT;
	hex_of(hex, &wanted->id);
	snprintf(path, PATH_MAX, "%s/.debug/.build-id/%.2s/%s/elf", home, hex, hex + 2);
	return check(path, &by_id, id);
}

int symbols_of_file(struct symbols *symbols, const struct symbols_wanted *wanted)
{
	char path[PATH_MAX], debug[PATH_MAX], hex[2 * BUILD_ID_MAX + 1] = "";
	struct build_id id = {};
	int ret;

	*symbols = (struct symbols) {};
	snprintf(path, sizeof(path), "%s", wanted->path);
	ret = check(path, wanted, &id);
	if (ret && check_cache(path, wanted, &id))
		return ret;
	ret = read_elf(symbols, path, PART_SEGMENTS | PART_SYMTAB);
	hex_of(hex, &id);
	if (!ret && !symbols->nr && id.len > 1) {
		snprintf(debug, sizeof(debug), DEBUG_DIR "/.build-id/%.2s/%s.debug", hex, hex + 2);
		read_elf(symbols, debug, PART_SYMTAB);
	}
	if (!ret && !symbols->nr)
		ret = read_elf(symbols, path, PART_DYNSYM);
	if (!ret)
		ret = read_elf(symbols, path, PART_PLTS);
	finish(symbols);
	return ret;
}

/* Reads all lines; other symbols than functions are kept without a name: functions end there. */
static int read_kallsyms(struct symbols *symbols, FILE *file, const char *ref, __u64 *addr)
{
	unsigned long long start;
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	while (!ret && getline(&line, &size, file) > 0) {
		char name[512], module[80] = "", full[600], type;

		if (sscanf(line, "%llx %c %511s %79s", &start, &type, name, module) < 3)
			continue;
		if (!strcmp(name, ref) && !*module)
			*addr = start;
		snprintf(full, sizeof(full), "%s%s%s", name, *module ? " " : "", module);
		ret = add(symbols, start, 0, strchr("tTwW", type) ? 1 : 0,
			  strchr("tTwW", type) ? full : "");
	}
	free(line);
	return ret;
}

/* Moves the symbols of the kernel to where it was; where modules were is not known then. */
static void move(struct symbols *symbols, __u64 shift)
{
	size_t i;

	for (i = 0; shift && i < symbols->nr; i++) {
		struct symbol *symbol = &symbols->symbol[i];

		if (strchr(symbol->name, '['))
			*symbol->name = '\0';
		else
			symbol->start += shift;
	}
}

int symbols_of_kernel(struct symbols *symbols, const char *symbol, __u64 addr)
{
	FILE *file = fopen(KALLSYMS, "re");
	__u64 now = 0;
	int ret;

	*symbols = (struct symbols) {};
	if (!file)
		return -errno;
	ret = read_kallsyms(symbols, file, symbol, &now);
	fclose(file);
	if (!ret && !now)
		ret = -EPERM;
	if (ret)
		symbols_free(symbols);
	else
		move(symbols, addr - now);
	finish(symbols);
	return ret;
}

int symbols_of_map(struct symbols *symbols, const char *path)
{
	struct stat stat;
	int fd = open_regular(path, &stat), ret = 0, used;
	unsigned long long start, size;
	char *line = NULL;
	size_t room = 0;
	FILE *file;

	*symbols = (struct symbols) {};
	if (fd < 0)
		return fd;
	/* Anybody can make a file of this name. */
	if (stat.st_uid && stat.st_uid != geteuid()) {
		close(fd);
		return -EPERM;
	}
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	while (!ret && getline(&line, &room, file) > 0) {
		used = 0;
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%llx %llx %n", &start, &size, &used) == 2 && used && line[used])
			/* Code is made again where older code was: the last line counts. */
			ret = add(symbols, start, size, symbols->nr, line + used);
	}
	free(line);
	fclose(file);
	finish(symbols);
	return ret;
}

/* The address that symbols have; false: the offset is in no loaded part. */
static bool to_addr(const struct symbols *symbols, __u64 *at)
{
	size_t i;

	for (i = 0; i < symbols->nr_segments; i++) {
		const struct symbols_segment *segment = &symbols->segment[i];

		if (*at - segment->offset < segment->size) {
			*at = *at - segment->offset + segment->addr;
			return true;
		}
	}
	return !symbols->nr_segments;
}

const char *symbols_find(const struct symbols *symbols, __u64 at)
{
	size_t low = 0, high = symbols->nr;
	unsigned int i;

	if (!to_addr(symbols, &at))
		return NULL;
	/* The first one that begins after it. */
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (symbols->symbol[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	for (i = 0; i < NESTED_MOST && low; i++) {
		const struct symbol *symbol = &symbols->symbol[--low];

		if (at < symbol->end)
			return *symbol->name ? symbol->name : NULL;
	}
	return NULL;
}

void symbols_free(struct symbols *symbols)
{
	size_t i;

	for (i = 0; i < symbols->nr; i++)
		free(symbols->symbol[i].name);
	free(symbols->symbol);
	free(symbols->segment);
	memset(symbols, 0, sizeof(*symbols));
}
