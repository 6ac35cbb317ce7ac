/* Threads, processes and a signal handler that each count in a floating-point register across system calls. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 2000 };

static int wrong, handled;

/* Adds 1 to xmm15 in each round, with a system call between that lets others go on, or a microsecond pass. */
static void count(double first, long number)
{
	struct timespec now;
	double found;

	__asm__ volatile("movsd %0, %%xmm15" : : "m"(first) : "xmm15");
	for (int round = 0; round < ROUNDS; round++) {
		double one = 1;
		long result;

		__asm__ volatile("addsd %1, %%xmm15\n syscall"
				 : "=a"(result) : "m"(one), "a"(number), "D"(CLOCK_MONOTONIC), "S"(&now)
				 : "rcx", "r11", "memory", "xmm15");
	}
	__asm__ volatile("movsd %%xmm15, %0" : "=m"(found) : : "xmm15");
	wrong += found != first + ROUNDS;
}

static void *count_in_thread(void *first)
{
	count(*(double *)first, 24); /* sched_yield */
	return NULL;
}

static void handle(int number)
{
	double other = -number;

	__asm__ volatile("movsd %0, %%xmm15" : : "m"(other) : "xmm15");
	handled++;
}

int main(void)
{
	struct itimerval soon = {{0, 1000}, {0, 1000}}, never = {{0}};
	double first[] = {1e3, 1e6, 1e9};
	pthread_t threads[3];
	int status = 0;

	for (int number = 0; number < 3; number++)
		pthread_create(&threads[number], NULL, count_in_thread, &first[number]);
	for (int number = 0; number < 3; number++)
		pthread_join(threads[number], NULL);
	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &soon, NULL);
	for (int repeat = 0; repeat < 5; repeat++) {
		count(5, 228); /* clock_gettime */
	}
	setitimer(ITIMER_REAL, &never, NULL);
	for (int child = 0; child < 3; child++)
		if (fork() == 0) {
			wrong = 0;
			count(child, 24);
			_exit(wrong);
		}
	while (wait(&status) > 0)
		wrong += status != 0;
	printf("%d %d\n", wrong, handled > 0);
}
