// SPDX-License-Identifier: GPL-2.0-or-later
/* The root that programs see: the host's files below memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "init.h"

enum { MOST_PATH = 4096 };

/* The upper folder of the root's overlay, in memory. */
#define UPPER "/upper/root"

static void make_folder(const char *path, mode_t mode)
{
	if (mkdir(path, mode) < 0 && errno != EEXIST)
		fail("the folder %s cannot be made: %s", path, strerror(errno));
	chmod(path, mode);
}

static void mount_on(const char *kind, const char *path, const char *options, unsigned long flags)
{
	if (mount(kind, path, kind, flags, options) < 0)
		fail("%s cannot be mounted on %s: %s", kind, path, strerror(errno));
}

void write_text(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
		fail("%s cannot be written: %s", path, strerror(errno));
	close(file);
}

/* Shows a folder of the host as empty, if it lies below the root. */
static void hide(const char *path)
{
	char lower[MOST_PATH + 8], upper[MOST_PATH + 16];
	size_t root_bytes = strlen(run.root);
	const char *inside, *slash;
	struct stat found;

	while (root_bytes && run.root[root_bytes - 1] == '/')
		--root_bytes;
	inside = path + root_bytes;
	if (strlen(path) >= MOST_PATH || strncmp(path, run.root, root_bytes) != 0 || *inside != '/')
		return;
	for (slash = inside; *slash;) {
		const char *next = strchrnul(slash + 1, '/');

		snprintf(lower, sizeof(lower), "/lower%.*s", (int)(next - inside), inside);
		snprintf(upper, sizeof(upper), UPPER "%.*s", (int)(next - inside), inside);
		if (next > slash + 1) {
			if (lstat(lower, &found) < 0 || !S_ISDIR(found.st_mode))
				return;
			make_folder(upper, found.st_mode & 07777);
			if (lchown(upper, found.st_uid, found.st_gid) < 0)
				return;
		}
		slash = next;
	}
	if (setxattr(upper, "trusted.overlay.opaque", "y", 1, 0) < 0)
		fail("%s cannot be hidden: %s", path, strerror(errno));
}

/* The folder of the run on the host, from the host's own `/proc`. */
static void hide_own_folder(void)
{
	char path[MOST_PATH];
	ssize_t count;

	make_folder("/self", 0755);
	mount_on("hostfs", "/self", "/proc", MS_RDONLY);
	count = readlink("/self/self/cwd", path, sizeof(path) - 1);
	umount2("/self", MNT_DETACH);
	if (count <= 0)
		fail("the host's /proc does not name the run's folder");
	path[count] = '\0';
	hide(path);
}

static void make_files(void)
{
	make_folder("/root" FILES, 0755);
	if (run.files)
		mount_on("hostfs", "/root" FILES, run.files, MS_RDONLY | MS_NODEV | MS_NOSUID);
}

static void name_hosts(void)
{
	make_folder("/root/etc", 0755);
	unlink("/root/etc/hosts");
	unlink("/root/etc/resolv.conf");
	unlink("/root/etc/hostname");
	write_text("/root/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n10.0.0.1 server\n10.0.0.2 client\n"
				      "fd00::1 server6\nfd00::2 client6\n");
	write_text("/root/etc/resolv.conf", "");
	write_text("/root/etc/hostname", "server\n");
}

/* Builds the root: the host's folder, read-only, below memory; then enters it. */
void make_root(void)
{
	char options[64];

	make_folder("/lower", 0755);
	make_folder("/upper", 0755);
	make_folder("/root", 0755);
	if (run.root[0] != '/')
		fail("programs.txt: root is %s, not an absolute path", run.root);
	mount_on("hostfs", "/lower", run.root, MS_RDONLY | MS_NODEV);
	mount_on("tmpfs", "/upper", "mode=755,size=25%", 0);
	make_folder(UPPER, 0755);
	make_folder("/upper/work", 0755);
	hide_own_folder();
	for (int i = 0; i < run.hidden_count; ++i)
		hide(run.hidden[i]);
	if (mount("overlay", "/root", "overlay", MS_NODEV,
		  "lowerdir=/lower,upperdir=" UPPER ",workdir=/upper/work") < 0)
		fail("the root cannot be laid over %s: %s", run.root, strerror(errno));
	if (access("/root/bin/sh", X_OK) < 0 && errno == EACCES)
		fail("the folder %s cannot be read by this user", run.root);
	umount2("/lower", MNT_DETACH);
	umount2("/upper", MNT_DETACH);
	for (const char *const *path = (const char *const[]){ "/root/dev", "/root/proc", "/root/sys", "/root/run",
							       "/root/var", NULL };
	     *path; ++path)
		make_folder(*path, 0755);
	make_folder("/root/tmp", 01777);
	make_folder("/root/var/tmp", 01777);
	make_folder("/root" OUT, 0777);
	make_files();
	name_hosts();
	if (mount("/dev", "/root/dev", NULL, MS_MOVE, NULL) < 0)
		fail("/dev cannot be moved: %s", strerror(errno));
	mount_on("proc", "/root/proc", NULL, MS_NOSUID | MS_NODEV);
	mount_on("sysfs", "/root/sys", NULL, MS_NOSUID | MS_NODEV | MS_RDONLY);
	mount_on("tmpfs", "/root/tmp", "mode=1777,size=25%", MS_NODEV);
	mount_on("tmpfs", "/root/run", "mode=755,size=5%", MS_NODEV);
	mount_on("tmpfs", "/root/var/tmp", "mode=1777,size=5%", MS_NODEV);
	snprintf(options, sizeof(options), "mode=777,nr_inodes=4096,size=%lld",
		 (long long)(run.output_bytes ? run.output_bytes : 4096));
	mount_on("tmpfs", "/root" OUT, options, MS_NODEV);
	make_folder("/root/dev/pts", 0755);
	mount_on("devpts", "/root/dev/pts", "mode=620,ptmxmode=666", 0);
	make_folder("/root/dev/shm", 01777);
	mount_on("tmpfs", "/root/dev/shm", "mode=1777,size=5%", MS_NODEV);
	for (const char *const *link = (const char *const[]){ "fd", "stdin", "stdout", "stderr", NULL }; *link; ++link) {
		char from[32], to[32];

		snprintf(from, sizeof(from), "/root/dev/%s", *link);
		snprintf(to, sizeof(to), link[0][0] == 'f' ? "/proc/self/fd" : "/proc/self/fd/%d",
			 !strcmp(*link, "stdin") ? 0 : !strcmp(*link, "stdout") ? 1 : 2);
		if (symlink(to, from) < 0)
			fail("%s cannot be made: %s", from, strerror(errno));
	}
	if (chdir("/root") < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0 || chdir("/") < 0)
		fail("the root cannot be entered: %s", strerror(errno));
	write_text("/proc/sys/kernel/threads-max", "500");
	write_text("/proc/self/oom_score_adj", "-1000");
}
