/* A server that sends, and a client that says what it sees, without a C library: nothing of the host's files is in them. */
#include <linux/fcntl.h>
#include <linux/in.h>
#include <linux/time.h>
#include <sys/syscall.h>

enum { STREAM = 1, SIZE = 400000 };

static char buffer[65536];
static const struct sockaddr_in any = {.sin_family = 2, .sin_port = 80 << 8};
static const struct sockaddr_in server = {.sin_family = 2, .sin_port = 80 << 8, .sin_addr = {0x0100000a}};

static long call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return result;
}

static void say(const void *what, long size)
{
	call(SYS_write, 1, (long)what, size);
}

static long serve(long listener)
{
	long peer, sent = 0;

	call(SYS_bind, listener, (long)&any, sizeof(any));
	call(SYS_listen, listener, 1, 0);
	peer = call(SYS_accept, listener, 0, 0);
	while (peer >= 0 && sent < SIZE) {
		long part = call(SYS_write, peer, (long)buffer, SIZE - sent < 65536 ? SIZE - sent : 65536);

		if (part <= 0)
			return 1;
		sent += part;
	}
	return peer < 0;
}

/* Says the processor, random numbers, and the time of each piece that comes, which only the kernel decides. */
static long fetch(long peer)
{
	struct timespec now;
	long size, file = call(SYS_open, (long)"/proc/cpuinfo", O_RDONLY, 0);

	while ((size = call(SYS_read, file, (long)buffer, sizeof(buffer))) > 0)
		say(buffer, size);
	call(SYS_getrandom, (long)buffer, 16, 0);
	say(buffer, 16);
	if (call(SYS_connect, peer, (long)&server, sizeof(server)))
		return 1;
	while ((size = call(SYS_read, peer, (long)buffer, sizeof(buffer))) > 0) {
		call(SYS_clock_gettime, 0, (long)&now, 0);
		say(&size, sizeof(size));
		say(&now, sizeof(now));
	}
	return size < 0;
}

/* As /bin/sh, with the arguments -c and a command. */
__attribute__((used)) static void begin(const long *stack)
{
	const char *command = (const char *)stack[3];
	long peer = call(SYS_socket, 2, STREAM, 0);

	call(SYS_exit, command[0] == 's' ? serve(peer) : fetch(peer), 0, 0);
}

__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call begin\n");
