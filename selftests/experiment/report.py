# SPDX-License-Identifier: GPL-2.0
"""What the cells of an experiment say: the numbers, a page with tables, and pictures."""

import json
import pathlib
import subprocess

# The share and the speed are averaged over this time.
WINDOW = 0.5
NAMES = {
    "fast": "all fast", "oracle": "best placement", "first-touch": "first touch",
    "balancing": "NUMA balancing", "damon": "DAMON", "perf": "perf loop", "tier": "htmmctl tier",
}


def line(result):
    """A result in a line."""
    return (f"{result['runtime']:.1f} s, {100 * result['fast_share']:.1f} % fast, "
            f"{result['moved']} moved, {result['pingpongs']} moved back, "
            f"{result['method_cpu']:.2f} s of CPU")


def shares(result, window=WINDOW, begin=0):
    """[seconds, share of the misses that were served fast] for each window from BEGIN on."""
    points, start, local, remote, before = [], None, 0, 0, 0
    for time, near, far in result["series"]:
        row, before = before, time
        if row < begin:
            continue
        start = row if start is None else start
        local, remote = local + near, remote + far
        if time - start >= window and local + remote:
            points.append([time, local / (local + remote)])
            start, local, remote = time, 0, 0
    return points


def speeds(result, window=WINDOW):
    """[seconds, operations a second] for each window."""
    points, start, before = [], 0, 0
    for time, done in result["done"]:
        if time - start >= window:
            points.append([time, (done - before) / (time - start)])
            start, before = time, done
    return points


def phases(result):
    """From when to when the same memory is hot."""
    starts = sorted(set(result["phases"]))
    return list(zip(starts, starts[1:] + [result["runtime"]]))


def operations_at(result, when):
    """How many operations were done by then."""
    before = [0, 0]
    for point in result["done"]:
        if point[0] >= when:
            span = point[0] - before[0]
            return before[1] + (point[1] - before[1]) * ((when - before[0]) / span if span else 1)
        before = point
    return before[1]


def time_of(result, operations):
    """When so many operations were done."""
    before = [0, 0]
    for point in result["done"]:
        if point[1] >= operations:
            span = point[1] - before[1]
            part = (operations - before[1]) / span if span else 1
            return before[0] + (point[0] - before[0]) * part
        before = point
    return result["runtime"]


def settled_parts(result):
    """The last third of the operations of each phase: the same work, however long it takes."""
    parts = []
    for start, end in phases(result):
        first, last = operations_at(result, start), operations_at(result, end)
        parts.append((time_of(result, last - (last - first) / 3), end))
    return parts


def settled_speed(result):
    """Operations a second in the last third of the phases' work."""
    parts = settled_parts(result)
    done = sum(operations_at(result, end) - operations_at(result, start) for start, end in parts)
    return done / sum(end - start for start, end in parts)


def settled_share(result):
    """Share of the misses served fast in the last third of the phases' work."""
    local = remote = 0
    for start, end in settled_parts(result):
        local += sum(r[1] for r in result["series"] if start < r[0] <= end)
        remote += sum(r[2] for r in result["series"] if start < r[0] <= end)
    return local / (local + remote) if local + remote else None


def seen_share(result):
    """Share of the misses served fast, by the samples of `htmmctl tier`; None: no log of them all."""
    looks = [json.loads(text) for text in result["log"] if text.startswith("{")]
    if not looks or looks[0]["look"] != 1:
        return None
    fast = misses = before = 0
    for look in looks:
        new = (look["samples"] - before) * look["thin"]
        fast += (look["fast_share"] or 0) * new
        misses += new
        before = look["samples"]
    return fast / misses


def recovery(result, goal=None):
    """
    Seconds from the begin of each phase until the share is 90 % of what it is in the
    last third of its work, or at least GOAL; None: never.
    """
    times = []
    for (start, end), (late, _) in zip(phases(result), settled_parts(result)):
        points = shares(result, begin=start)
        last = [s for t, s in points if late < t <= end]
        want = goal if goal is not None else 0.9 * sum(last) / len(last) if last else None
        reached = [t - start for t, s in points if start < t <= end + WINDOW and want and s >= want]
        times.append(round(reached[0], 2) if reached else None)
    return times


def won_by_move(result, still):
    """How many more misses were served fast than without moves, for each page moved; or None."""
    misses = sum(local + remote for _, local, remote in result["series"])
    if result["method"] in ("fast", "oracle", "first-touch") or not result["moved"]:
        return None
    return (result["fast_share"] - still["fast_share"]) * misses / result["moved"]


def median(runs):
    """The one with the median run time, with what differs from run to run; None: there are none."""
    if not runs:
        return None
    middle = sorted(runs, key=lambda run: run["runtime"])[(len(runs) - 1) // 2]
    return dict(middle, runs=[{
        "runtime": run["runtime"], "fast_share": run["fast_share"],
        "settled_speed": settled_speed(run), "settled_share": settled_share(run),
    } for run in runs])


def complete(results, load, fast_cell):
    """Add what takes other cells to know."""
    for cell, result in results.items():
        if not result:
            continue
        parts = cell.split("/")
        best = results.get("/".join([parts[0], "oracle"] + parts[2:])) or \
            load("/".join([parts[0], "oracle"] + parts[2:]))
        fast = results.get(fast_cell(cell)) or load(fast_cell(cell))
        result["oracle_share"] = best["fast_share"] if best else None
        result["relative"] = result["runtime"] / fast["runtime"] if fast else None
        result["expected"] = fast["checksum"] if fast else None
        result["settled"] = settled_speed(result) / settled_speed(fast) if fast else None
        result["settled_rate"] = settled_speed(result) / settled_speed(best) if best else None
        result["settled_share"] = settled_share(result)
        result["recovery"] = recovery(result)
        still = results.get("/".join([parts[0], "first-touch"] + parts[2:])) or \
            load("/".join([parts[0], "first-touch"] + parts[2:]))
        result["won_by_move"] = won_by_move(result, still) if still else None
        goal = 0.8 * settled_share(best) if best and settled_share(best) else None
        result["recovery_to_oracle"] = recovery(result, goal) if goal else None
    return results


def problems(results):
    """Results of the programs that are not those of the run with all memory fast."""
    return [
        f"{cell}: WRONG RESULT {result['checksum']}, not {result['expected']}"
        for cell, result in results.items()
        if result and result["expected"] and result["checksum"] != result["expected"]
    ]


def number(value, form):
    """A number, or a hole that is seen."""
    return form.format(value) if value is not None else "-"


def ranged(form, result, value, each):
    """A number, and its range if there are more runs than one."""
    values = [each(run) for run in result["runs"]] if value is not None else []
    if len(values) < 2:
        return number(value, form)
    bare = form.removesuffix(" %")
    return f"{form.format(value)} ({bare.format(min(values))} to {bare.format(max(values))})"


def seconds(times):
    """Seconds after each shift, without the first phase if there are others."""
    times = times[1:] or times
    return ", ".join(number(t, "{:.1f}") for t in times)


def table(results, cells):
    """The cells of one program, ratio and page size."""
    yield ("| method | run time (s) | run time / all fast | settled speed / all fast | "
           "settled speed / best placement | misses served fast | the same, settled | "
           "recovered after (s) | 80 % of best placement after (s) | pages moved | moved back | "
           "misses saved per page moved | CPU time of the method (s) | "
           "system time of the program (s) | memory of the method (KiB) | "
           "in the fast node at the end (MiB) |")
    yield "|---|" + "---:|" * 15
    for cell in cells:
        result, name = results.get(cell), NAMES[cell.split("/")[1]]
        if not result:
            yield f"| {name} | not measured |" + " |" * 14
            continue
        moved = ["-", "-"] if result["method"] == "oracle" else \
            [f"{result['moved']:,}", f"{result['pingpongs']:,}"]
        speed, rate = settled_speed(result), result["settled_rate"]
        values = [
            ranged("{:.2f}", result, result["runtime"], lambda run: run["runtime"]),
            number(result["relative"], "{:.3f}"),
            number(result["settled"] and 100 * result["settled"], "{:.1f} %"),
            ranged("{:.1f} %", result, rate and 100 * rate,
                   lambda run, speed=speed, rate=rate: 100 * rate * run["settled_speed"] / speed),
            ranged("{:.1f} %", result, 100 * result["fast_share"], lambda run: 100 * run["fast_share"]),
            ranged("{:.1f} %", result, result["settled_share"] and 100 * result["settled_share"],
                   lambda run: 100 * run["settled_share"]),
            seconds(result["recovery"]), seconds(result["recovery_to_oracle"] or [None]),
            *moved, number(result["won_by_move"], "{:,.0f}"), f"{result['method_cpu']:.2f}",
            f"{result['program_system']:.2f}", f"{result['metadata'] // 1024:,}",
            f"{result['places'][-1][0] / 1024:.1f}",
        ]
        yield f"| {name} | " + " | ".join(values) + " |"


def plot(path, results, cells):
    """A picture of the share over time, one line for each method."""
    blocks, titles = [], []
    for cell in cells:
        if results.get(cell):
            titles.append(NAMES[cell.split("/")[1]])
            blocks.append("\n".join(f"{t:.3f} {100 * s:.2f}" for t, s in shares(results[cell])))
    if not blocks:
        return False
    lines = ", ".join(
        f"$data index {i} using 1:2 with lines linewidth 2 title '{title}'"
        for i, title in enumerate(titles))
    data = "\n\n\n".join(blocks)
    script = f"""$data << EOD
{data}
EOD
set terminal svg size 900,360 font 'sans,12' background rgb 'white'
set output '{path}'
set xlabel 'time (s)'
set ylabel 'misses served fast (%)'
set yrange [0:102]
set key outside right
set grid ytics
plot {lines}
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)
    return True


INTRODUCTION = """# How much moving pages helps

Made by `make experiment`; do not edit. [testing.md](testing.md#experiments) says how to run it, and
what a cell is. Where a cell was measured more than once, its line is that of the run with the
median run time, with the least and the greatest value of all runs in brackets. Each section names
the commit whose files it was measured with: a run writes the sections of its cells anew and keeps
the others.

A program runs in a virtual machine with a fast and a slow NUMA node. A miss of the last-level cache
(2 MiB) takes 80 ns in the fast node and 250 ns in the slow one. All times are those of the
machine's own clock, in which an instruction takes 1 ns. The program and the method share one CPU.
The fast node has room for only a part of the program's memory: for a ninth of it with 1:8, for a
third with 1:2. The kernel is Debian's 6.12.

Methods, and their names in cells:

- **All fast** (`fast`): the fast node has room for all memory.
- **First touch** (`first-touch`): no page is moved. The fast node has the pages that the program
  touched first.
- **Best placement** (`oracle`): the fast node has the pages with the most misses, as the machine
  itself has counted them, from the beginning, and again after each change of the hot set. Its moves
  take no time.
- **NUMA balancing** (`balancing`): the kernel promotes pages (`kernel.numa_balancing=2`) and
  demotes others.
- **DAMON** (`damon`): its actions `migrate_hot` and `migrate_cold`, with the settings in
  selftests/experiment/methods/damon.
- **Perf loop** (`perf`): a program that reads perf's samples, counts them by page in user space,
  and moves pages by fixed thresholds (selftests/experiment/perf_loop.c).
- **htmmctl tier** (`tier`): with its defaults.

Columns:

- *Settled*: in the last third of the work of each phase. A phase ends when the hot set changes: the
  program then uses other pages most. Programs without such changes have one phase.
- *Settled speed*: work per second in that time, compared with all fast and with best placement.
- *Misses served fast*: share of the program's misses that the fast node has served.
- *Recovered after*: seconds from the begin of a phase until this share is 90 % of its settled
  value; *80 % of best placement after*: until it is 80 % of the settled value of best placement.
  `-`: never. The first phase is left out if there are others. The share is averaged over half a
  second, so no time is shorter.
- *Moved back*: moves of a page within 2 s of its previous move, including failed ones.
- *Misses saved per page moved*: how many more misses were served fast than under first touch,
  divided by the pages moved.
- *CPU time of the method*: that of its processes and of kernel threads. Interrupts and page faults
  are charged to the program, whose system time is in the next column.
- *Memory of the method*: that of its process, and the growth of the kernel's.
- *In the fast node at the end*: the program's memory there. No method can get more than there is at
  the beginning: the rest of the fast node is memory that cannot move, and pages of files and all
  other processes are on the slow node.
"""

PROGRAMS = {
    "gups": "Updates random words. 90 % of the updates are in 10 % of the memory, its hot set, which\n"
            "changes twice",
    "graph": "Computes the betweenness centrality of a Kronecker graph, in which few nodes have most\n"
             "edges",
    "train": "liblinear learns from its data: it reads all of them again and again. All pages are\n"
             "equally hot, so the best policy moves none",
    "redis": "A redis-server. Half of the requests read a value and half write one (YCSB A), and few keys\n"
             "get most requests (a Zipf distribution with exponent 0.99). More than a third of its misses\n"
             "are stores. Like Intel's CPUs, the emulated CPU has no event for stores that miss, so the\n"
             "methods that sample see only loads. Each write stores its value at a new address",
    "btree": "Queries to a table of SQLite in memory (a B-tree). Few rows get most queries (a Zipf\n"
             "distribution with exponent 0.99)",
    "pagerank": "Ranks the vertices of a graph. Each round reads the old ranks, in any order, and writes the\n"
                "new ones to a second array; then the arrays change places. So each is hot in turn. Both fit\n"
                "the fast tier",
    "join": "A hash join of orders and articles. At any time, few articles are in most orders. Which ones\n"
            "these are changes slowly, through a tenth of all articles. So best placement is the best one\n"
            "only on average",
    "compile": "g++'s compiler, which allocates nearly all of its memory while it is measured. Its work is\n"
               "counted in allocations. Most pages have few misses before it ends: a move that makes room for\n"
               "one in the fast node takes about as long as it saves",
    "numpy": "Matrix factorization in numpy. Each step puts what it computes in new arrays",
    "git": "Git shows all changes of a history, and keeps what it has unpacked lately, up to 96 MiB. Its\n"
           "work is counted in allocations. Most pages have few misses before they are freed: a move that\n"
           "makes room for one takes longer than it saves",
    "short": "As gups, but the hot set changes only once, after a second, and the run is short",
}


SIMULATOR = """## The simulator compared with the virtual machine

The misses of each program were recorded once, with all memory fast. The simulator `htmm-sim`
replays them with the policy of `htmmctl tier`. Its fast tier has the same size as in the virtual
machine, and begins with the same pages as under first touch. A recording has a sample of every 127
misses, as `htmmctl tier` takes while it learns, and only of loads. The column *samples* has the
share by the samples of `htmmctl tier`, which are only of loads, too. So where many misses are
stores (redis), compare the simulator with this column. Measured with commit {commit}.

| cell | served fast in the virtual machine: all misses | samples | simulator | simulator minus samples, or minus all misses if there are none (points) |
|---|---:|---:|---:|---:|"""


def simulator_table(rows):
    """The shares of the simulator beside those of the machine, of which the second may be None."""
    lines = [f"| {cell} | {100 * machine:.1f} % | {number(seen and 100 * seen, '{:.1f} %')} | {100 * simulated:.1f} % | "
             f"{100 * (simulated - (machine if seen is None else seen)):+.1f} |"
             for cell, machine, seen, simulated in rows]
    return "\n".join([SIMULATOR, *lines]) + "\n"


ABLATION = """## Without one rule

gups, 1:8, base pages, under `htmmctl tier`, each time without one rule of its policy. The manual
page `htmmctl-tier(1)` explains the rules (option `--without`); *cooling* is the module's. The cells
are `gups/tier-RULE/1:8`. Measured with commit {commit}.

| left out | run time (s) | misses served fast | the same, settled | recovered after (s) | pages moved | moved back | CPU time of the method (s) |
|---|---:|---:|---:|---:|---:|---:|---:|"""


def ablation_table(without):
    """What each rule is for; the first line is with all."""
    lines = [
        f"| {method.partition('-')[2] or 'none'} | {result['runtime']:.2f} | "
        f"{100 * result['fast_share']:.1f} % | {100 * settled_share(result):.1f} % | "
        f"{seconds(recovery(result))} | {result['moved']:,} | {result['pingpongs']:,} | "
        f"{result['method_cpu']:.2f} |" for method, result in without.items() if result]
    return "\n".join([ABLATION, *lines]) + "\n"


RULES = """## What each rule of the policy is for

The same recordings, simulated without one of the rules, without cooling, or with fewer samples.
`htmmctl-tier(1)` explains the rules. Each entry has the run time in seconds, the settled share of
misses served fast, and the pages moved. It is the mean of {sizes} simulations, with sizes of the fast
tier from {least} to {most} % of the original size: any change makes the policy look at other moments, and
this alone changes the result of a program with phases. Measured with commit {{commit}}.

| | {programs} |
|---|{columns}"""


def rules_table(rules, sizes):
    """What each rule is for, by the simulator."""
    programs = list(next(iter(rules.values())))
    if not programs:
        return ""
    lines = [f"| {name} | " + " | ".join(
        f"{values[0]:.2f}, {100 * values[1]:.1f} %, {values[2]:,.0f}" for values in row.values()) + " |"
        for name, row in rules.items()]
    head = RULES.format(programs=" | ".join(programs), columns="---:|" * len(programs),
                        sizes=len(sizes), least=round(100 * min(sizes)), most=round(100 * max(sizes)))
    return "\n".join([head, *lines]) + "\n"


def sections(text):
    """The sections of a page by their headings."""
    parts = ("\n" + text).split("\n## ")[1:]
    return {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in parts}


def merged(old, new):
    """The sections of programs first, those that are new before others; then the rest."""
    both = {**new, **{heading: text for heading, text in old.items() if heading not in new}}
    return [both[heading] for heading in sorted(both, key=lambda heading: ", 1:" not in heading)]


def write_docs(results, directory, cells, simulated, without, rules, commit):
    """experiments.md, and a picture for each of its tables. What was not measured is kept."""
    page, text = pathlib.Path(directory / "experiments.md"), []
    groups = {}
    for cell in cells:
        program, _, *rest = cell.split("/")
        groups.setdefault((program, *rest), []).append(cell)
    for (program, ratio, *huge), group in groups.items():
        name = "-".join([program, ratio.replace(":", "-"), *huge])
        text.append(f"## {program}, {ratio}, {'huge' if huge else 'base'} pages\n")
        text.append(PROGRAMS[program] + ".\nMeasured with commit {commit}.\n")
        text.append("\n".join(table(results, group)) + "\n")
        if plot(directory / f"experiment-{name}.svg", results, group):
            text.append(f"![Share over time](experiment-{name}.svg)\n")
    if len([result for result in without.values() if result]) > 1:
        text.append(ablation_table(without))
    if simulated:
        text.append(simulator_table(simulated))
        text.append(rules)
    old = sections(page.read_text(encoding="utf-8")) if page.exists() else {}
    new = sections("\n".join(text).replace("{commit}", commit))
    page.write_text("\n".join([INTRODUCTION, *merged(old, new)]), encoding="utf-8")
