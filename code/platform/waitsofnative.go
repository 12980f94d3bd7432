package platform

// waitsOfNative are functions of operating systems and C libraries that only wait. The names have
// no leading underscores and no versions. The function read is missing, because it may read a file.
var waitsOfNative = []string{
	// System calls and their wrappers, on Linux and macOS.
	"accept", "accept4", "clock_nanosleep", "clock_nanosleep_time64", "connect", "epoll_pwait", "epoll_pwait2",
	"epoll_wait", "flock", "futex", "futex_time64", "futex_wait", "futex_waitv", "io_getevents", "io_pgetevents",
	"io_uring_enter", "kevent", "kevent64", "kevent_qos", "mach_msg_trap", "mach_msg2_trap", "mq_timedreceive",
	"msgrcv", "nanosleep", "newselect", "pause", "poll", "ppoll", "ppoll_time64", "pselect", "pselect6",
	"psynch_cvwait", "psynch_mutexwait", "recv", "recvfrom", "recvmmsg", "recvmsg", "rt_sigsuspend",
	"rt_sigtimedwait", "select", "semop", "semtimedop", "semwait_signal", "semwait_signal_nocancel", "sigsuspend",
	"sigtimedwait", "sigwait", "sigwaitinfo", "sleep", "ulock_wait", "ulock_wait2", "usleep", "wait3", "wait4",
	"waitid", "waitpid",
	// POSIX and glibc.
	"cnd_timedwait", "cnd_wait", "do_sem_wait", "futex_abstimed_wait", "futex_abstimed_wait64",
	"futex_abstimed_wait_cancelable", "futex_abstimed_wait_cancelable64", "futex_abstimed_wait_common",
	"futex_abstimed_wait_common64", "futex_lock_pi64", "futex_reltimed_wait", "futex_reltimed_wait_cancelable",
	"futex_wait_cancelable", "futex_wait_simple", "lll_lock_wait", "lll_lock_wait_private", "lll_timedlock_wait",
	"lll_timedwait_tid", "new_sem_wait", "new_sem_wait_slow", "new_sem_wait_slow64", "pthread_clockjoin_ex",
	"pthread_cond_clockwait", "pthread_cond_timedwait", "pthread_cond_wait", "pthread_cond_wait_common",
	"pthread_join", "pthread_mutex_clocklock", "pthread_mutex_timedlock", "pthread_timedjoin_ex", "sem_clockwait",
	"sem_timedwait", "sem_wait", "thrd_sleep",
	// musl. Its waits all end in timedwait, or in a system call that can be canceled.
	"timedwait", "timedwait_cp", "wait_cp",
	// bionic.
	"futex_pi_lock_ex", "futex_wait_ex", "pthread_mutex_lock_with_timeout",
	// The kernel, below a system call.
	"binder_wait_for_work", "do_epoll_wait", "do_nanosleep", "do_select", "do_sigtimedwait", "do_sys_poll",
	"do_wait", "ep_poll", "futex_wait_multiple", "futex_wait_queue", "futex_wait_queue_me", "hrtimer_nanosleep",
	"inet_csk_accept", "poll_schedule_timeout", "schedule_hrtimeout_range", "skb_wait_for_more_packets",
	"unix_wait_for_peer", "wait_woken",
	// Windows.
	"NtDelayExecution", "NtRemoveIoCompletion", "NtRemoveIoCompletionEx", "NtWaitForAlertByThreadId",
	"NtWaitForMultipleObjects", "NtWaitForSingleObject", "ZwDelayExecution", "ZwWaitForMultipleObjects",
	"ZwWaitForSingleObject",
}
