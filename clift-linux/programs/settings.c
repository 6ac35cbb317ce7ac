// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads programs.txt: one `KEY VALUE` a line; in values `\n` is a newline and `\\` a backslash. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "init.h"

enum { MOST_TEXT_BYTES = 1 << 20 };

struct run run = { .root = "/", .output_bytes = 16 << 20 };

static void unescape(char *value)
{
	char *to = value;

	for (; *value; ++value) {
		if (value[0] == '\\' && (value[1] == 'n' || value[1] == '\\'))
			*to++ = *++value == 'n' ? '\n' : '\\';
		else
			*to++ = *value;
	}
	*to = '\0';
}

static void add(const char *key, const char **list, int *count, const char *value)
{
	if (*count == MOST_LINES)
		fail("programs.txt: has more than %d lines %s", MOST_LINES, key);
	list[(*count)++] = value;
}

static int64_t number(const char *key, const char *value)
{
	char *end;
	long long found = strtoll(value, &end, 10);

	if (end == value || *end || found < 0)
		fail("programs.txt: %s is %s, not a whole number", key, value);
	return found;
}

static void begin_program(const char *name)
{
	struct program *own = &run.programs[run.program_count++];

	if (run.program_count > MOST_PROGRAMS)
		fail("programs.txt: has more than %d programs", MOST_PROGRAMS);
	own->name = name;
	own->status = -1;
	own->streams[0] = (struct stream){ -1, "stdout", 0 };
	own->streams[1] = (struct stream){ -1, "stderr", 0 };
}

static void set(const char *key, const char *value)
{
	struct program *own = run.program_count ? &run.programs[run.program_count - 1] : NULL;

	if (!strcmp(key, "root"))
		run.root = value;
	else if (!strcmp(key, "files"))
		run.files = value;
	else if (!strcmp(key, "hide"))
		add(key, run.hidden, &run.hidden_count, value);
	else if (!strcmp(key, "sysctl"))
		add(key, run.sysctl, &run.sysctl_count, value);
	else if (!strcmp(key, "ready"))
		add(key, run.ready, &run.ready_count, value);
	else if (!strcmp(key, "processor_s"))
		run.processor_s = number(key, value);
	else if (!strcmp(key, "output_bytes"))
		run.output_bytes = number(key, value);
	else if (!strcmp(key, "program"))
		begin_program(value);
	else if (own && !strcmp(key, "end"))
		own->end = !strcmp(value, "far") ? FAR : NEAR;
	else if (own && !strcmp(key, "command"))
		own->command = value;
	else if (own && !strcmp(key, "env"))
		add(key, own->env, &own->env_count, value);
	else
		fail("programs.txt: the key %s is unknown%s", key, own ? "" : " before the first program");
}

/* Reads the run's settings through a function that reads some bytes of programs.txt. */
void read_run(ssize_t (*read_some)(char *to, size_t most))
{
	static char text[MOST_TEXT_BYTES];
	struct clift_run_settings settings;
	size_t size = 0;
	ssize_t count;
	char *line, *rest = text;
	int i;

	while ((count = read_some(text + size, sizeof(text) - 1 - size)) > 0)
		size += count;
	if (count < 0)
		fail("programs.txt: cannot be read");
	if (size == sizeof(text) - 1)
		fail("programs.txt: is longer than %zu bytes", size);
	while ((line = strsep(&rest, "\n")) != NULL) {
		char *value = strchr(line, ' ');

		if (!*line)
			continue;
		if (!value)
			fail("programs.txt: the value of %s is missing", line);
		*value++ = '\0';
		unescape(value);
		set(line, value);
	}
	if (!run.program_count)
		fail("programs.txt: names no program");
	for (i = 0; i < run.program_count; ++i)
		if (!run.programs[i].command)
			fail("programs.txt: %s has no command", run.programs[i].name);
	if (command_driver(CLIFT_SETTINGS, (unsigned long)&settings) < 0)
		fail("the driver gives no settings");
	run.duration_ns = settings.duration_ns;
	run.seed = settings.seed;
	run.paths = settings.paths;
	command_driver(CLIFT_BOUND_PROCESSOR, run.processor_s);
}
