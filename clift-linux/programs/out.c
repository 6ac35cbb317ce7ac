// SPDX-License-Identifier: GPL-2.0-or-later
/* Hands what programs wrote to $OUT to the run's folder. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

enum { MOST_PATH = 3072 };

static int64_t left_bytes;

/* Regular files only; a sparse file counts with its holes. */
static void copy(const char *from, const char *to)
{
	static char data[1 << 16];
	int file = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t count;

	if (file < 0)
		return;
	add_to_file(to, "", 0);
	while (left_bytes > 0 && (count = read(file, data, sizeof(data))) > 0) {
		if (count > left_bytes)
			count = left_bytes;
		add_to_file(to, data, count);
		left_bytes -= count;
	}
	close(file);
}

static void walk(char *from, char *to)
{
	size_t from_bytes = strlen(from), to_bytes = strlen(to);
	DIR *folder = opendir(from);
	struct dirent *entry;
	struct stat found;

	if (!folder)
		return;
	while ((entry = readdir(folder)) != NULL) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    to_bytes + strlen(entry->d_name) + 2 > MOST_PATH)
			continue;
		sprintf(from + from_bytes, "/%s", entry->d_name);
		sprintf(to + to_bytes, "/%s", entry->d_name);
		if (lstat(from, &found) == 0 && S_ISDIR(found.st_mode))
			walk(from, to);
		else if (S_ISREG(found.st_mode))
			copy(from, to);
		from[from_bytes] = to[to_bytes] = '\0';
	}
	closedir(folder);
}

void collect_out(void)
{
	char from[MOST_PATH + 16] = OUT, to[MOST_PATH + 16] = "out/files";

	left_bytes = run.output_bytes;
	walk(from, to);
}
