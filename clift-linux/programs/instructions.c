// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions that would show the host's time, random numbers and processor number to a program. They trap, where
 * the host's kernel and processor let them. */
#include <linux/bits.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include <asm/processor.h>
#include <sysdep/ptrace.h>

bool clift_instruction(struct uml_pt_regs *regs);

enum { GENERAL_PROTECTION = 13, MOST_BYTES = 3 };

struct cpuid {
	u32 eax, ebx, ecx, edx;
};

/* The processor's answer without what differs between machines of its kind or between two runs: random numbers
 * (RDRAND, RDSEED), number and place of processors, transactions, waiting by the cycle counter, frequencies. */
static struct cpuid answer(u32 leaf, u32 part)
{
	struct cpuid found;

	asm volatile("cpuid" : "=a"(found.eax), "=b"(found.ebx), "=c"(found.ecx), "=d"(found.edx) : "a"(leaf), "c"(part));
	switch (leaf) {
	case 0x1:
		found.ebx = (found.ebx & 0xff00) | 0x10000; /* one processor, number 0 */
		found.ecx &= ~(BIT(30) | BIT(24) | BIT(31)); /* RDRAND, timer by the counter, hypervisor */
		found.edx &= ~BIT(28); /* several threads */
		break;
	case 0x4:
		found.eax &= 0x3fff;
		break;
	case 0x7:
		if (part == 0) {
			found.ebx &= ~(BIT(18) | BIT(11) | BIT(4)); /* RDSEED, RTM, HLE */
			found.ecx &= ~(BIT(22) | BIT(5)); /* RDPID, WAITPKG */
			found.edx &= ~(BIT(22) | BIT(24) | BIT(25) | BIT(11) | BIT(16)); /* AMX, RTM, TSXLDTRK */
		}
		break;
	case 0xb:
	case 0x1f:
		found = (struct cpuid){ .ecx = part };
		break;
	case 0x15:
	case 0x16:
		found = (struct cpuid){};
		break;
	case 0x80000008:
		found.ecx = 0;
		break;
	default:
		if (leaf >= 0x40000000 && leaf < 0x80000000)
			found = (struct cpuid){};
	}
	return found;
}

/* Executes a trapped instruction of a program: CPUID; RDTSC and RDTSCP, which count nanoseconds of simulated time.
 * Returns false for another one. */
bool clift_instruction(struct uml_pt_regs *regs)
{
	unsigned long *gp = regs->gp;
	u8 code[MOST_BYTES] = {};
	int length = 2;

	if (UPT_FAULTINFO(regs)->trap_no != GENERAL_PROTECTION ||
	    copy_from_user(code, (const void __user *)UPT_IP(regs), sizeof(code)) == sizeof(code) || code[0] != 0x0f)
		return false;
	if (code[1] == 0xa2) {
		const struct cpuid found = answer(gp[HOST_AX], gp[HOST_CX]);

		gp[HOST_AX] = found.eax;
		gp[HOST_BX] = found.ebx;
		gp[HOST_CX] = found.ecx;
		gp[HOST_DX] = found.edx;
	} else if (code[1] == 0x31 || (code[1] == 0x01 && code[2] == 0xf9)) {
		const u64 now = ktime_get_raw_ns();

		gp[HOST_AX] = (u32)now;
		gp[HOST_DX] = now >> 32;
		if (code[1] == 0x01) {
			gp[HOST_CX] = 0;
			length = 3;
		}
	} else {
		return false;
	}
	gp[HOST_IP] += length;
	return true;
}
