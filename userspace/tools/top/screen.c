// SPDX-License-Identifier: GPL-2.0
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
#include <ncurses.h>
#include "htmmctl/command.h"
#include "htmmctl/output.h"
#include "screen.h"

/* From this width on, the histogram is beside the numbers, not below them. */
#define WIDE		130
/* Below this width, the numbers are shown in a shorter form. */
#define NARROW		64
/* Below this height, there is no histogram. */
#define HIST_LINES	20
/* Least number of bins shown. */
#define BINS_SHOWN	16
/* Columns of an event's rate. */
#define RATE		9
/* Columns before the bins of a histogram and before the numbers. */
#define CAPTION		9

enum pairs { PAIR_NONE, PAIR_HOT, PAIR_WARM };

static SCREEN *screen;
static bool utf8;
static size_t page = 1;

/* Converts bytes to this terminal's characters; '?' for those it cannot show. */
static size_t to_wide(const char *text, wchar_t *wide, size_t room)
{
	mbstate_t state = {};
	size_t nr = 0;

	while (*text && nr + 1 < room) {
		size_t len = mbrtowc(&wide[nr], text, MB_CUR_MAX, &state);

		if (len == (size_t)-1 || len == (size_t)-2 || !iswprint(wide[nr])) {
			if (len == (size_t)-1 || len == (size_t)-2)
				len = 1;
			memset(&state, 0, sizeof(state));
			wide[nr] = '?';
		}
		text += len;
		nr++;
	}
	wide[nr] = L'\0';
	return nr;
}

/* Prints at a position, cut to @width columns and to the end of the line. */
static void put(int y, int x, int width, const char *fmt, ...) htmm_printf(4, 5);

static void put(int y, int x, int width, const char *fmt, ...)
{
	char text[1024];
	wchar_t wide[1024];
	va_list args;
	int nr, columns = 0;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	to_wide(text, wide, ARRAY_SIZE(wide));
	if (width > COLS - x)
		width = COLS - x;
	for (nr = 0; wide[nr]; nr++) {
		columns += wcwidth(wide[nr]);
		if (columns > width)
			break;
	}
	mvaddnwstr(y, x, wide, nr);
}

/* A number in three characters: 999, 12k, .3M. */
static const char *brief(char text[32], __u64 number)
{
	static const char units[] = "kMGTPE";
	double value = number;
	int unit = -1;

	if (number < 1000) {
		snprintf(text, 32, "%llu", number);
		return text;
	}
	while (value >= 99.5 && units[unit + 1]) {
		value /= 1000;
		unit++;
	}
	if (value < 0.95)
		snprintf(text, 32, ".%.0f%c", value * 10, units[unit]);
	else
		snprintf(text, 32, "%.0f%c", value, units[unit]);
	return text;
}

/* A number in @width characters: in full if it fits. */
static const char *fit(char text[32], __u64 number, int width)
{
	return snprintf(text, 32, "%llu", number) <= width ? text : brief(text, number);
}

/* Rounded, as "%.0f" does elsewhere. */
static const char *fit_rate(char text[32], double rate, int width)
{
	return fit(text, (__u64)(rate + 0.5), width);
}

static void put_title(const struct top *top)
{
	const struct htmm_info *info = &top->now.info;
	char filter[80] = "";

	if (*top->filter)
		snprintf(filter, sizeof(filter), ", with '%s'", top->filter);
	attron(A_REVERSE);
	mvhline(0, 0, ' ', COLS);
	put(0, 0, COLS, "htmm top%s: session %llu, %s, %.1f s; every %.1f s; by %s%s",
	    top->paused ? " [paused]" : "", info->session, session_state(info),
	    (double)info->elapsed_ns / 1e9, top->interval_ms / 1e3, order_name(top->order),
	    filter);
	attroff(A_REVERSE);
}

/* "ring_full 12/s, stale 3/s": those that lost something. */
static void list_drops(const struct flow *flow, char *text, size_t size)
{
	size_t used = 0;
	int i;

	snprintf(text, size, "nothing");
	for (i = 0; i < HTMM_DROP_SLOTS; i++) {
		char one[64];

		if (flow->drops[i] <= 0 || HTMM_DROPS_UNWANTED >> i & 1)
			continue;
		snprintf(one, sizeof(one), "%s%s %.0f/s", used ? ", " : "",
			 htmm_drop_name(i) ? htmm_drop_name(i) : "other", flow->drops[i]);
		/* If not all fit, show that there are more. */
		if (used + strlen(one) + sizeof(" ...") > size) {
			snprintf(text + used, size - used, " ...");
			return;
		}
		used += snprintf(text + used, size - used, "%s", one);
	}
}

static int put_drops(const struct top *top, int y, int x, int width, bool tall)
{
	const struct flow *flow = &top->activity.total;
	const __u64 *drops = top->now.stats.stats.total.drops;
	char text[256];
	int i;

	if (!tall) {
		list_drops(flow, text, width - CAPTION < 256 ? width - CAPTION + 1 : 256);
		put(y, x, width, "%-*s%s", CAPTION, "lost", text);
		return y + 1;
	}
	for (i = 0; i < HTMM_DROP_SLOTS; i++)
		if (!(HTMM_DROPS_UNWANTED >> i & 1) && (i < HTMM_NR_DROPS || drops[i]))
			put(y++, x, width, "%-*s%-12s %12.0f/s %16llu in all", CAPTION,
			    i ? "" : "lost", htmm_drop_name(i) ? htmm_drop_name(i) : "other",
			    flow->drops[i], drops[i]);
	return y;
}

static int put_cost(const struct activity *activity, int y, int x, int width)
{
	char budget[48] = "no budget";

	if (activity->budget >= 0)
		snprintf(budget, sizeof(budget), "budget %.2f%%", activity->budget);
	if (width < NARROW)
		put(y, x, width, "%-*s%.2f%%, %s", CAPTION, "cost", activity->cost, budget);
	else
		put(y, x, width, "%-*s%.2f%% of CPU time, %s; handlers %.2f%%, ksampled %.1f%%",
		    CAPTION, "cost", activity->cost, budget, activity->handlers,
		    activity->ksampled);
	if (activity->budget >= 0 && activity->cost > activity->budget)
		mvchgat(y, x + CAPTION, 20, A_BOLD, PAIR_HOT, NULL);
	return y + 1;
}

/* Adds a text only if all of it fits: half of a number would be a wrong number. */
static void append(char *text, size_t room, const char *fmt, ...) htmm_printf(3, 4);

static void append(char *text, size_t room, const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list args;

	va_start(args, fmt);
	if (len < room && vsnprintf(text + len, room - len, fmt, args) >= (int)(room - len))
		text[len] = '\0';
	va_end(args);
}

static int put_event(const struct top *top, unsigned int number, int y, int x, int width)
{
	const struct event_activity *event = &top->activity.events[number];
	int room = width - CAPTION - RATE;
	char period[64], text[256] = "", rate[32];

	if (room > (int)sizeof(text))
		room = sizeof(text);
	event_period_text(&event->mode, period, sizeof(period));
	append(text, room, "%-*s", width < NARROW ? 0 : 16, top->now.stats.events[number].name);
	if (event->flow.throttled > 0)
		append(text, room, " throttled,");
	append(text, room, " every %s", period);
	append(text, room, ", precise %u", event->mode.precise_ip);
	append(text, room, ", %u CPU%s", event->mode.active, event->mode.active == 1 ? "" : "s");
	put(y, x, width, "%-*s%s", CAPTION, number ? "" : "events", text);
	put(y, x + width - RATE, RATE, "%*s/s", RATE - 2,
	    fit_rate(rate, event->flow.overflows, RATE - 2));
	return y + 1;
}

/* Leave lines for the mappings. */
static int put_events(const struct top *top, int y, int x, int width)
{
	unsigned int nr = top->activity.nr_events, room = LINES / 4, i;

	for (i = 0; i < nr && (nr <= room || i + 1 < room); i++)
		y = put_event(top, i, y, x, width);
	if (i < nr)
		put(y++, x, width, "%-*sand %u more", CAPTION, "", nr - i);
	return y;
}

static int put_samples(const struct top *top, int y, int x, int width)
{
	const struct flow *flow = &top->activity.total;
	char counted[32], lost[32];

	if (width < NARROW)
		put(y, x, width, "%-*s%s/s, lost %s/s (%.1f%%)", CAPTION, "samples",
		    fit_rate(counted, flow->counted, 6), fit_rate(lost, flow->lost, 5),
		    lost_percent(flow));
	else
		put(y, x, width, "%-*s%.0f/s counted, %.0f/s lost (%.1f%%), %.0f/s filtered%s",
		    CAPTION, "samples", flow->counted, flow->lost, lost_percent(flow),
		    flow->filtered, top->activity.since_start ? ", since the start" : "");
	return y + 1;
}

/* Everything but the histogram and the mappings. */
static int put_numbers(const struct top *top, int y, int x, int width, bool tall)
{
	y = put_samples(top, y, x, width);
	y = put_drops(top, y, x, width, tall);
	y = put_cost(&top->activity, y, x, width);
	return put_events(top, y, x, width);
}

/* Number of bins up to the last one that is worth showing. */
static unsigned int bins_shown(const struct htmm_histogram *hist)
{
	unsigned int nr = HTMM_NR_BINS;

	while (nr > BINS_SHOWN && !hist->bins[nr - 1] && hist->hot_threshold != nr - 1)
		nr--;
	return nr;
}

static int bin_pair(const struct htmm_histogram *hist, unsigned int bin)
{
	return bin >= hist->hot_threshold ? PAIR_HOT :
	       bin >= hist->warm_threshold ? PAIR_WARM : PAIR_NONE;
}

/* Draws one bar, in eighths of a line if the terminal has these characters. */
static void put_bar(int bottom, int x, int width, int height, double share, int pair)
{
	static const wchar_t blocks[] = L" \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588";
	int eighths = (int)(share * height * 8), line, i;

	/* Show a value other than 0 with one eighth at least. */
	if (share > 0 && !eighths)
		eighths = 1;
	attron(COLOR_PAIR(pair));
	for (line = 0; line < height && eighths > 0; line++, eighths -= 8) {
		wchar_t cell[2] = { utf8 ? blocks[eighths > 8 ? 8 : eighths] : L'#', L'\0' };

		for (i = 0; i < width; i++)
			mvaddnwstr(bottom - line, x + i, cell, 1);
	}
	attroff(COLOR_PAIR(pair));
}

static void put_thresholds(const struct htmm_histogram *hist, int y, int x, int width,
			   unsigned int nr)
{
	if (hist->hot_threshold < nr) {
		attron(COLOR_PAIR(PAIR_HOT));
		put(y, x + (int)hist->hot_threshold * width, 7, "^hot");
		attroff(COLOR_PAIR(PAIR_HOT));
	}
	if (hist->warm_threshold < nr && hist->warm_threshold < hist->hot_threshold &&
	    x + (int)hist->warm_threshold * width >= 4) {
		attron(COLOR_PAIR(PAIR_WARM));
		put(y, x + (int)hist->warm_threshold * width - 4, 5, "warm^");
		attroff(COLOR_PAIR(PAIR_WARM));
	}
}

static void put_hist_title(const struct htmm_histogram *hist, int y, int x, int width)
{
	char hot[64] = "no bin fits it";

	if (hist->hot_threshold < HTMM_NR_BINS)
		snprintf(hot, sizeof(hot), "hot: %llu, from bin %u; warm: from %u", hist->hot_pages,
			 hist->hot_threshold, hist->warm_threshold);
	if (width < NARROW)
		put(y, x, width, "%-*s%s", CAPTION, "pages", hot);
	else
		put(y, x, width, "%-*s%llu by samples; fast tier: %llu; %s", CAPTION, "pages",
		    hist->pages, hist->capacity_pages, hot);
}

/* Uses @height lines, four of them for text. */
static void put_hist(const struct htmm_histogram *hist, int y, int x, int width, int height)
{
	unsigned int nr = bins_shown(hist), bin;
	/* If all bins are in use and columns are few, leave out the captions. */
	int caption = width - CAPTION < (int)nr ? 0 : CAPTION;
	int cell = (width - caption) / (int)nr, bars = height - 4;
	/* Leave a gap between the names of bins. */
	unsigned int step = cell < 2 ? 4 : cell < 4 ? 2 : 1;
	__u64 most = 0;

	for (bin = 0; bin < nr; bin++)
		most = hist->bins[bin] > most ? hist->bins[bin] : most;
	put_hist_title(hist, y, x, width);
	put(y + bars + 1, x, caption, "samples");
	put(y + bars + 2, x, caption, "pages");
	for (bin = 0; bin < nr; bin++) {
		int at = x + caption + (int)bin * cell, pair = bin_pair(hist, bin);
		char from[32], pages[32];

		put_bar(y + bars, at, cell > 1 ? cell - 1 : 1, bars,
			most ? (double)hist->bins[bin] / (double)most : 0, pair);
		if (bin % step)
			continue;
		attron(COLOR_PAIR(pair));
		brief(from, bin ? 1ULL << (bin - 1) : 0);
		brief(pages, hist->bins[bin]);
		if (at + (int)strlen(from) <= x + width)
			put(y + bars + 1, at, 4, "%s", from);
		if (at + (int)strlen(pages) <= x + width)
			put(y + bars + 2, at, 4, "%s", pages);
		attroff(COLOR_PAIR(pair));
	}
	put_thresholds(hist, y + bars + 3, x + caption, cell, nr);
}

/* Cuts a long name at its beginning, as its end says more. */
static void put_name(int y, int x, int width, const char *name)
{
	size_t len = strlen(name);

	if (width > 2 && len > (size_t)width)
		put(y, x, width, "..%s", name + len - width + 2);
	else
		put(y, x, width, "%s", name);
}

/**
 * struct column - a column of the list of mappings
 * @title: its title
 * @width: its width, negative for left-aligned text
 * @from: least width of the terminal at which it is shown
 */
static const struct column {
	const char *title;
	int width;
	int from;
} columns[] = {
	{ "samples", 12, 0 },
	{ "share", 6, 78 },
	{ "pages", 8, 78 },
	{ "hot", 8, 62 },
	{ "node", -6, 90 },
	{ "pid", 8, 0 },
	{ "command", -15, 62 },
};

/* Prints a line of the list: @cells as in columns[], and the mapping in the rest of the line. */
static void put_cells(int y, const char *const *cells, const char *mapping)
{
	int x = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		if (columns[i].from > COLS)
			continue;
		put(y, x, abs(columns[i].width), "%*s", columns[i].width, cells[i]);
		x += abs(columns[i].width) + 1;
	}
	put_name(y, x, COLS - x, mapping);
}

static void put_mapping(const struct top *top, const struct mapping *map, int y)
{
	char samples[32], share[16], pages[32], hot[32], pid[16], node[NODE_TEXT];
	const char *const cells[] = {
		fit(samples, map->samples, 12), share, fit(pages, map->pages, 8),
		fit(hot, map->hot, 8), mapping_node(node, map), pid, map->place.comm,
	};
	int pair = map->hot ? PAIR_HOT : PAIR_NONE;

	snprintf(share, sizeof(share), "%.1f%%", percent(map->samples, top->samples));
	snprintf(pid, sizeof(pid), "%u", map->pid);
	attron(COLOR_PAIR(pair));
	put_cells(y, cells, map->place.mapping);
	attroff(COLOR_PAIR(pair));
}

static void put_mappings(const struct top *top, int y, int last)
{
	const char *titles[ARRAY_SIZE(columns)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++)
		titles[i] = columns[i].title;
	attron(A_BOLD);
	put_cells(y++, titles, "mapping");
	attroff(A_BOLD);
	page = last >= y ? last - y + 1 : 1;
	if (!top->nr_shown)
		put(y, 0, COLS, "%s", top->nr_maps ? "no mapping matches the filter" :
						     "no page has samples yet");
	for (i = top->scroll; i < top->nr_shown && y <= last; i++)
		put_mapping(top, &top->shown[i], y++);
}

/* Fits the smallest screen. */
static void put_help(int y)
{
	static const char *const lines[] = {
		"q       quit",
		"space p pause, and go on",
		"s       sort by another column",
		"/       filter command, mapping, pid;",
		"        Enter keeps it, Esc ends it",
		"+ -     update half, or twice as often",
		"arrows  scroll; Page Up, Down; Home",
		"any key leave this help",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		put(y++, 2, COLS - 2, "%s", lines[i]);
}

static void put_last_line(const struct top *top)
{
	attron(A_REVERSE);
	mvhline(LINES - 1, 0, ' ', COLS);
	if (top->editing)
		put(LINES - 1, 0, COLS - 1, "filter: %s_   Enter: keep it, Esc: show all",
		    top->filter);
	else
		put(LINES - 1, 0, COLS - 1,
		    "q quit  h help  space pause  s sort  / filter  + - interval");
	attroff(A_REVERSE);
}

/* Lines of the histogram below the numbers, at @y. */
static int hist_height(int y)
{
	int height = LINES / 3 > 7 ? LINES / 3 : 7;

	return LINES >= HIST_LINES && y + 14 <= LINES ? height : 0;
}

void screen_draw(const struct top *top)
{
	bool wide = COLS >= WIDE && LINES >= HIST_LINES;
	int y, height;

	erase();
	if (COLS < 40 || LINES < 10) {
		put(0, 0, COLS, "too small");
		refresh();
		return;
	}
	put_title(top);
	if (top->help) {
		put_help(1);
	} else if (wide) {
		y = put_numbers(top, 1, 0, COLS / 2 - 2, true);
		y = y > LINES / 4 ? y : LINES / 4;
		put_hist(&top->now.hist, 1, COLS / 2, COLS / 2, y - 1);
		put_mappings(top, y, LINES - 2);
	} else {
		y = put_numbers(top, 1, 0, COLS, false);
		height = hist_height(y);
		if (height)
			put_hist(&top->now.hist, y, 0, COLS, height);
		put_mappings(top, y + height, LINES - 2);
	}
	put_last_line(top);
	refresh();
}

bool screen_open(void)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return false;
	setlocale(LC_CTYPE, "");
	utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	if (!tigetstr("cup") || tigetstr("cup") == (char *)-1) {
		screen_close();
		return false;
	}
	if (has_colors() && out_wants_colour(stdout)) {
		start_color();
		use_default_colors();
		init_pair(PAIR_HOT, COLOR_RED, -1);
		init_pair(PAIR_WARM, COLOR_YELLOW, -1);
	}
	cbreak();
	noecho();
	nodelay(stdscr, true);
	keypad(stdscr, true);
	set_escdelay(50);
	curs_set(0);
	return true;
}

void screen_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

void screen_resize(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
}

int screen_key(void)
{
	int key = getch();

	switch (key) {
	case KEY_UP: return TOP_UP;
	case KEY_DOWN: return TOP_DOWN;
	case KEY_PPAGE: return TOP_PAGE_UP;
	case KEY_NPAGE: return TOP_PAGE_DOWN;
	case KEY_HOME: return TOP_HOME;
	case KEY_BACKSPACE: return TOP_BACKSPACE;
	case ERR: return -1;
	}
	/* Ignore other function keys. */
	return key < KEY_MIN ? key : 0;
}

size_t screen_page(void)
{
	return page;
}
