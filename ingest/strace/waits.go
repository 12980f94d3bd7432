package strace

import "strings"

// waiting has the system calls that wait: for time to pass, for another thread or process, for the
// other end of a connection, or for the disk. Their duration is not processor work.
const waiting = " accept accept4 clock_nanosleep clock_nanosleep_time64 connect epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old " +
	"fdatasync flock fsync futex futex_time64 futex_wait futex_waitv io_getevents io_pgetevents io_uring_enter mq_timedreceive msgrcv " +
	"msync nanosleep pause poll ppoll ppoll_time64 pselect6 pselect6_time64 recv recvfrom recvmmsg recvmsg restart_syscall " +
	"rt_sigsuspend rt_sigtimedwait select semop semtimedop sigsuspend sync sync_file_range syncfs vfork wait4 waitid waitpid "

// waits reports whether a call waits. A read of a socket, a pipe or a terminal waits for a writer.
// A read of a file perhaps waits for the disk. The log does not show this, so it does not count.
func (d *decoder) waits(c *call, args [][]byte) bool {
	switch c.name {
	case "read", "readv":
		fd, note, ok := readDescriptor(part(args, 0))
		if !ok {
			return false
		}
		if len(note) > 0 {
			return !isFile(string(note))
		}
		o := c.thread.files.At(fd)
		return o == nil || !o.Ready
	case "fcntl", "fcntl64":
		return strings.HasSuffix(string(part(args, 1)), "SETLKW")
	}
	return strings.Contains(waiting, " "+c.name+" ")
}
