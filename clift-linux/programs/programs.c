// SPDX-License-Identifier: GPL-2.0-or-later
/* Program runs: the two ends of the link belong to the machine's processes. Process 1, our init, directs the driver
 * through a device. */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/limits.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/nsproxy.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/tcp.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <net/inet_ecn.h>
#include <net/net_namespace.h>
#include <net/tcp.h>

#include <kern_util.h>
#include <os.h>

#include "control.h"
#include "host.h"
#include "run.h"

static struct clift_settings settings;
static int paths = 1;
static bool is_closed; /* the links, at the end of the run */

bool clift_is_closed(void)
{
	return is_closed;
}

int update_socket_protocol(int family, int type, int protocol);

/* The hook of socket(): with a second path, TCP sockets of programs are MPTCP's. */
int update_socket_protocol(int family, int type, int protocol)
{
	bool is_stream = (type & SOCK_TYPE_MASK) == SOCK_STREAM && (family == AF_INET || family == AF_INET6);

	return paths > 1 && is_stream && (!protocol || protocol == IPPROTO_TCP) ? IPPROTO_MPTCP : protocol;
}

static bool is_tcp(const struct sk_buff *skb)
{
	return skb->protocol == htons(ETH_P_IP)	  ? ip_hdr(skb)->protocol == IPPROTO_TCP :
	       skb->protocol == htons(ETH_P_IPV6) ? ipv6_hdr(skb)->nexthdr == IPPROTO_TCP :
						    false;
}

static u8 codepoint(const struct sk_buff *skb)
{
	return skb->protocol == htons(ETH_P_IP)	  ? ip_hdr(skb)->tos & INET_ECN_MASK :
	       skb->protocol == htons(ETH_P_IPV6) ? ipv6_get_dsfield(ipv6_hdr(skb)) & INET_ECN_MASK :
						    0;
}

/* A packet of a program; false for another protocol than IP, for messages of the kernel's own, before the run begins. */
bool clift_describe_any(struct sk_buff *skb, int direction, struct clift_packet *packet)
{
	if (is_closed || clift_now_ns() < 0 || (skb->protocol != htons(ETH_P_IP) && skb->protocol != htons(ETH_P_IPV6)) ||
	    skb_linearize(skb) || clift_is_housekeeping(skb->data, skb->len))
		return false;
	*packet = (struct clift_packet){
		.handle = skb,
		.direction = direction,
		.size_bytes = skb->len,
		.ecn = codepoint(skb),
	};
	if (is_tcp(skb)) {
		const struct tcphdr *tcp = tcp_hdr(skb);

		packet->payload_bytes = skb->len - skb_tcp_all_headers(skb);
		packet->is_plain_ack = tcp->ack && !tcp->syn && !tcp->fin && !tcp->rst && !tcp->urg &&
				       packet->payload_bytes == 0 && tcp->doff * 4 == sizeof(*tcp) + TCPOLEN_TSTAMP_ALIGNED;
		packet->ecn_flags = tcp_flag_word(tcp) & (TCP_FLAG_ECE | TCP_FLAG_CWR | TCP_RESERVED_BITS);
	}
	return true;
}

/* Ends the running process, unless it is init: it has used up the processor time of all programs. */
void clift_out_of_processor_time(void)
{
	if (is_global_init(current))
		return;
	force_fatal_sig(SIGXCPU);
	interrupt_end();
}

static long control(struct file *file, unsigned int command, unsigned long argument)
{
	switch (command) {
	case CLIFT_ADD_END:
		if (argument >= paths * CLIFT_DIRECTIONS)
			return -EINVAL;
		return clift_add_end(current->nsproxy->net_ns, argument, settings.packet_bytes);
	case CLIFT_BOUND_PROCESSOR:
		os_most_processor_us = 1000000LL * argument;
		return 0;
	case CLIFT_SETTINGS: {
		const struct clift_run_settings own = { settings.duration_ns, settings.seed, paths };

		return copy_to_user((void __user *)argument, &own, sizeof(own)) ? -EFAULT : 0;
	}
	case CLIFT_CLOSE:
		is_closed = true;
		clift_close(clift_now_ns());
		return 0;
	case CLIFT_END:
		clift_write_lists();
		return 0;
	case CLIFT_FAIL: {
		char *reason = strndup_user((const char __user *)argument, PATH_MAX);

		clift_fail(IS_ERR(reason) ? "init failed" : reason);
	}
	}
	return -ENOTTY;
}

static ssize_t read_programs(struct file *file, char __user *to, size_t most, loff_t *offset)
{
	size_t bytes = min_t(size_t, most, PAGE_SIZE);
	char *text = kmalloc(bytes, GFP_KERNEL);
	ssize_t count = text ? clift_read_programs(text, bytes, *offset) : -ENOMEM;

	if (count > 0 && copy_to_user(to, text, count))
		count = -EFAULT;
	if (count > 0)
		*offset += count;
	kfree(text);
	return count;
}

static ssize_t add_to_file(struct file *file, const char __user *from, size_t bytes, loff_t *offset)
{
	char *name;
	size_t name_bytes;
	int error;

	if (bytes > CLIFT_MOST_WRITTEN_BYTES)
		return -EINVAL;
	name = memdup_user(from, bytes);
	if (IS_ERR(name))
		return PTR_ERR(name);
	name_bytes = strnlen(name, bytes) + 1;
	error = name_bytes > bytes ? -EINVAL : clift_add_to_file(name, name + name_bytes, bytes - name_bytes);
	kfree(name);
	return error ?: bytes;
}

static int open_control(struct inode *inode, struct file *file)
{
	return is_global_init(current) ? 0 : -EPERM;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = open_control,
	.read = read_programs,
	.write = add_to_file,
	.unlocked_ioctl = control,
};

static struct miscdevice device = { .minor = MISC_DYNAMIC_MINOR, .name = "clift", .fops = &operations, .mode = 0600 };

static int __init clift_prepare(void)
{
	clift_open(&settings);
	paths += clift_open_second_path();
	/* Little memory must not mean memory pressure for TCP. */
	sysctl_tcp_mem[0] = sysctl_tcp_mem[1] = sysctl_tcp_mem[2] = LONG_MAX / PAGE_SIZE / 4;
	clift_begin(CLIFT_BEGIN_NS);
	return misc_register(&device);
}
late_initcall(clift_prepare);
