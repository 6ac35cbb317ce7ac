// SPDX-License-Identifier: GPL-2.0-or-later
/* One experiment: this kernel boots, runs the flows that its settings ask for between two network namespaces, and
 * powers off. Senders and receivers are kernel threads, so that no system call is simulated. */
#include <linux/delay.h>
#include <linux/in.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/net.h>
#include <linux/nsproxy.h>
#include <linux/reboot.h>
#include <linux/socket.h>
#include <linux/tcp.h>
#include <linux/user_namespace.h>
#include <linux/wait.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/net_namespace.h>
#include <net/snmp.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "run.h"

enum { CHUNK_BYTES = 1 << 16 };

struct window {
	u32 cwnd, ssthresh, srtt_us;
	u8 state;
};

struct flow {
	struct socket *sender, *listener;
	s64 received_bytes;
	bool done;
	struct window last;
};

static struct clift_settings settings;
static struct flow *flows;
static struct net *networks[CLIFT_DIRECTIONS];
static atomic_t unfinished;
static DECLARE_WAIT_QUEUE_HEAD(finished);
static char zeros[CHUNK_BYTES];

int clift_flows(void)
{
	return settings.flows;
}

/* Records a sender's window where it has changed. */
void clift_watch(int flow)
{
	struct flow *own = &flows[flow];
	const struct tcp_sock *tcp;
	struct window now;

	if (!own->sender)
		return;
	tcp = tcp_sk(own->sender->sk);
	now = (struct window){ tcp_snd_cwnd(tcp), tcp->snd_ssthresh, tcp->srtt_us >> 3,
			       inet_csk(own->sender->sk)->icsk_ca_state };
	if (now.cwnd == own->last.cwnd && now.ssthresh == own->last.ssthresh && now.srtt_us == own->last.srtt_us &&
	    now.state == own->last.state)
		return;
	own->last = now;
	clift_record_window(clift_now_ns(), flow, now.cwnd, now.ssthresh, 1000LL * now.srtt_us, now.state);
}

static struct socket *bound_socket(struct net *net, int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct socket *sock;

	if (sock_create_kern(net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &sock))
		return NULL;
	if (kernel_bind(sock, (struct sockaddr *)&address, sizeof(address))) {
		sock_release(sock);
		return NULL;
	}
	return sock;
}

static void flow_is_done(struct flow *flow)
{
	if (flow->done)
		return;
	flow->done = true;
	if (atomic_dec_and_test(&unfinished))
		wake_up(&finished);
}

static int receive(void *argument)
{
	struct flow *flow = argument;
	struct socket *sock;

	if (kernel_accept(flow->listener, &sock, 0))
		return 0;
	/* The window that is advertised would begin small, and bound a fast start. */
	tcp_sk(sock->sk)->rcv_ssthresh = tcp_sk(sock->sk)->window_clamp;
	for (;;) {
		struct msghdr message = { .msg_flags = MSG_TRUNC };
		struct kvec nowhere = { zeros, CHUNK_BYTES };
		int count = kernel_recvmsg(sock, &message, &nowhere, 1, CHUNK_BYTES, MSG_TRUNC);

		if (count <= 0)
			return 0;
		flow->received_bytes += count;
		if (settings.transfer_bytes && flow->received_bytes >= settings.transfer_bytes)
			flow_is_done(flow);
	}
}

static void sleep_until(s64 time_ns)
{
	ktime_t at = ns_to_ktime(ktime_get_ns() + max_t(s64, time_ns - clift_now_ns(), 0));

	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&at, HRTIMER_MODE_ABS);
}

static int send(void *argument)
{
	struct flow *flow = argument;
	int number = flow - flows, from = clift_direction(number);
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(CLIFT_RECEIVER_PORT + number),
				  .sin_addr.s_addr = htonl(clift_address(!from)) };
	s64 left = settings.transfer_bytes ?: S64_MAX;

	sleep_until(clift_start_ns(number));
	if (kernel_connect(flow->sender, (struct sockaddr *)&to, sizeof(to), 0))
		return 0;
	/* Hybla sets a bound of its own when the connection is established. */
	tcp_sk(flow->sender->sk)->snd_cwnd_clamp = settings.window_packets;
	while (left > 0) {
		struct msghdr message = {};
		struct kvec data = { zeros, min_t(s64, left, CHUNK_BYTES) };
		int count = kernel_sendmsg(flow->sender, &message, &data, 1, data.iov_len);

		if (count <= 0)
			return 0;
		left -= count;
	}
	kernel_sock_shutdown(flow->sender, SHUT_WR);
	return 0;
}

static const char *prepare_network(int end)
{
	struct net *net;

	if (end == 0) {
		net = &init_net;
	} else {
		net = copy_net_ns(CLONE_NEWNET, &init_user_ns, &init_net);
		if (IS_ERR(net))
			return "no second network namespace";
	}
	networks[end] = net;
	net->ipv4.sysctl_tcp_rmem[1] = net->ipv4.sysctl_tcp_rmem[2] = settings.receive_buffer_bytes;
	net->ipv4.sysctl_tcp_wmem[2] = settings.receive_buffer_bytes;
	net->ipv4.sysctl_tcp_ecn = 0;
	return clift_add_end(net, end, settings.packet_bytes, !settings.delayed_acks) ? "the link's end could not be set up" : NULL;
}

static const char *prepare_flow(int number)
{
	struct flow *flow = &flows[number];
	int from = clift_direction(number);

	flow->listener = bound_socket(networks[!from], CLIFT_RECEIVER_PORT + number);
	flow->sender = bound_socket(networks[from], CLIFT_SENDER_PORT + number);
	if (!flow->listener || !flow->sender)
		return "no socket could be made";
	if (flow->sender->ops->setsockopt(flow->sender, SOL_TCP, TCP_CONGESTION, KERNEL_SOCKPTR(settings.control),
					  strlen(settings.control)))
		return "this kernel has no such congestion control";
	if (kernel_listen(flow->listener, 1))
		return "no socket could listen";
	kthread_run(receive, flow, "receive%d", number);
	kthread_run(send, flow, "send%d", number);
	return NULL;
}

static void count_flow(int number)
{
	struct tcp_info info;

	tcp_get_info(flows[number].sender->sk, &info);
	clift_count("timeouts", number, info.tcpi_total_rto);
	clift_count("retransmissions", number, info.tcpi_total_retrans);
	clift_count("acknowledged_bytes", number, info.tcpi_bytes_acked);
	clift_count("received_bytes", number, flows[number].received_bytes);
	clift_count("rwnd_limited_us", number, info.tcpi_rwnd_limited);
	clift_count("sndbuf_limited_us", number, info.tcpi_sndbuf_limited);
	clift_count("reordering", number, info.tcpi_reordering);
}

static s64 mib(int entry)
{
	s64 sum = 0;
	int end;

	for (end = 0; end < CLIFT_DIRECTIONS; ++end)
		sum += snmp_fold_field((void __percpu *)networks[end]->mib.net_statistics, entry);
	return sum;
}

static const char *run(void)
{
	const char *wrong = NULL;
	int i;

	flows = kcalloc(settings.flows, sizeof(*flows), GFP_KERNEL);
	if (!flows)
		return "no memory for the flows";
	/* Little memory must not mean memory pressure for TCP. */
	sysctl_tcp_mem[0] = sysctl_tcp_mem[1] = sysctl_tcp_mem[2] = LONG_MAX / PAGE_SIZE / 4;
	atomic_set(&unfinished, settings.flows);
	for (i = 0; i < CLIFT_DIRECTIONS && !wrong; ++i)
		wrong = prepare_network(i);
	current->timer_slack_ns = 1;
	clift_begin();
	for (i = 0; i < settings.flows && !wrong; ++i)
		wrong = prepare_flow(i);
	if (wrong)
		return wrong;
	wait_event_hrtimeout(finished, atomic_read(&unfinished) == 0, ns_to_ktime(settings.duration_ns));
	for (i = 0; i < settings.flows; ++i)
		count_flow(i);
	clift_count("memory_pressures", -1, mib(LINUX_MIB_TCPMEMORYPRESSURES));
	clift_count("receive_queue_drops", -1, mib(LINUX_MIB_TCPRCVQDROP) + mib(LINUX_MIB_TCPBACKLOGDROP));
	clift_count("receive_queue_prunes", -1, mib(LINUX_MIB_PRUNECALLED));
	return NULL;
}

static int __init clift_run(void)
{
	const char *wrong;

	if (clift_open(&settings))
		goto out;
	wrong = run();
	if (wrong)
		clift_fail(wrong);
	else
		clift_close(clift_now_ns());
out:
	kernel_power_off();
	return 0;
}
late_initcall(clift_run);
