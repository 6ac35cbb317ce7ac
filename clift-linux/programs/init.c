// SPDX-License-Identifier: GPL-2.0-or-later
/* Process 1 of the simulated machine: builds the root from the host's files, makes the two ends, runs the programs. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control.h"
#include "init.h"

static int control = -1;

int command_driver(unsigned int command, unsigned long argument)
{
	return ioctl(control, command, argument);
}

void fail(const char *format, ...)
{
	char reason[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	command_driver(CLIFT_FAIL, (unsigned long)reason);
	abort();
}

void add_to_file(const char *name, const void *data, size_t bytes)
{
	static char message[CLIFT_MOST_WRITTEN_BYTES];
	size_t name_bytes = strlen(name) + 1;

	do {
		size_t count = sizeof(message) - name_bytes;

		if (count > bytes)
			count = bytes;
		memcpy(message, name, name_bytes);
		memcpy(message + name_bytes, data, count);
		if (write(control, message, name_bytes + count) < 0)
			fail("%s of the run's folder cannot be written: %s", name, strerror(errno));
		data = (const char *)data + count;
		bytes -= count;
	} while (bytes > 0);
}

static ssize_t read_control(char *to, size_t most)
{
	return read(control, to, most);
}

int main(void)
{
	umask(0);
	if (mkdir("/dev", 0755) < 0 && errno != EEXIST)
		abort();
	if (mount("dev", "/dev", "devtmpfs", 0, NULL) < 0)
		abort();
	control = open(CLIFT_CONTROL_DEVICE, O_RDWR | O_CLOEXEC);
	if (control < 0)
		abort();
	umask(022);
	read_run(read_control);
	make_root();
	make_networks();
	run_programs();
	command_driver(CLIFT_END, 0);
	sync();
	reboot(RB_POWER_OFF);
	abort();
}
