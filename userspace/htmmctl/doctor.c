// SPDX-License-Identifier: GPL-2.0
#include "htmmctl.h"
static int run_doctor(const struct command *cmd, int argc, char **argv) { (void)cmd;(void)argc;(void)argv; return 0; }
const struct command cmd_doctor = { .name = "doctor", .synopsis="", .summary="", .help="", .run = run_doctor };
