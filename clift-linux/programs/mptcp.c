// SPDX-License-Identifier: GPL-2.0-or-later
/* MPTCP over two paths: limits and addresses of the kernel's path manager, which generic netlink sets. */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/mptcp.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init.h"

enum { MOST_BYTES = 4096 };

struct message {
	struct nlmsghdr head;
	struct genlmsghdr generic;
	char attributes[MOST_BYTES];
};

static struct message message_of(int family, int command)
{
	return (struct message){
		.head = { .nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN), .nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST },
		.generic = { .cmd = command, .version = 1 },
	};
}

/* Adds an attribute; its length grows when others are put inside. */
static struct nlattr *put(struct message *message, int type, const void *value, size_t bytes)
{
	struct nlattr *attribute = (struct nlattr *)((char *)message + NLMSG_ALIGN(message->head.nlmsg_len));

	attribute->nla_type = type;
	attribute->nla_len = NLA_HDRLEN + bytes;
	memcpy((char *)attribute + NLA_HDRLEN, value, bytes);
	message->head.nlmsg_len = (char *)attribute + NLA_ALIGN(attribute->nla_len) - (char *)message;
	return attribute;
}

/* Replaces a message by the kernel's answer. */
static void ask(int sock, struct message *message)
{
	const struct nlmsgerr *error = (const struct nlmsgerr *)&message->generic;

	if (send(sock, message, message->head.nlmsg_len, 0) < 0 || recv(sock, message, sizeof(*message), 0) < 0)
		fail("the kernel's path manager does not answer: %s", strerror(errno));
	if (message->head.nlmsg_type == NLMSG_ERROR && error->error)
		fail("the kernel's path manager refuses a setting: %s", strerror(-error->error));
}

/* The number of the path manager among the families of generic netlink. */
static int manager_of(int sock)
{
	struct message message = message_of(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	const char *at = message.attributes;

	put(&message, CTRL_ATTR_FAMILY_NAME, MPTCP_PM_NAME, sizeof(MPTCP_PM_NAME));
	ask(sock, &message);
	while (at < (const char *)&message + message.head.nlmsg_len) {
		const struct nlattr *attribute = (const struct nlattr *)at;

		if (attribute->nla_type == CTRL_ATTR_FAMILY_ID)
			return *(const uint16_t *)(at + NLA_HDRLEN);
		at += NLA_ALIGN(attribute->nla_len);
	}
	fail("this kernel has no path manager of MPTCP");
}

static void set_limits(int sock, int manager)
{
	static const uint32_t most = 2; /* a socket with IPv6 takes the offer of an IPv4 address, too */
	struct message message = message_of(manager, MPTCP_PM_CMD_SET_LIMITS);

	message.head.nlmsg_flags |= NLM_F_ACK;
	put(&message, MPTCP_PM_ATTR_RCV_ADD_ADDRS, &most, sizeof(most));
	put(&message, MPTCP_PM_ATTR_SUBFLOWS, &most, sizeof(most));
	ask(sock, &message);
}

/* Connections tell this address to the other end, which opens a subflow to it. */
static void offer(int sock, int manager, uint16_t family, const void *address, size_t bytes)
{
	static const uint32_t flags = MPTCP_PM_ADDR_FLAG_SIGNAL;
	struct message message = message_of(manager, MPTCP_PM_CMD_ADD_ADDR);
	struct nlattr *endpoint = put(&message, MPTCP_PM_ATTR_ADDR | NLA_F_NESTED, "", 0);

	message.head.nlmsg_flags |= NLM_F_ACK;
	put(&message, MPTCP_PM_ADDR_ATTR_FAMILY, &family, sizeof(family));
	put(&message, MPTCP_PM_ADDR_ATTR_FLAGS, &flags, sizeof(flags));
	put(&message, family == AF_INET ? MPTCP_PM_ADDR_ATTR_ADDR4 : MPTCP_PM_ADDR_ATTR_ADDR6, address, bytes);
	endpoint->nla_len = (char *)&message + message.head.nlmsg_len - (char *)endpoint;
	ask(sock, &message);
}

void manage_paths(int end)
{
	int sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	int manager = manager_of(sock);
	struct in_addr address = address_of(SECOND, end);
	struct in6_addr address6 = address6_of(SECOND, end);

	set_limits(sock, manager);
	if (end == NEAR) {
		offer(sock, manager, AF_INET, &address, sizeof(address));
		offer(sock, manager, AF_INET6, &address6, sizeof(address6));
	}
	close(sock);
}
