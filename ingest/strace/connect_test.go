package strace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/diffprof/diffprof/ingest/strace"
	"github.com/diffprof/diffprof/trace"
	"github.com/diffprof/diffprof/trace/tracetest"
)

// durations is a sink that lists operations with their times.
type durations struct{ lister }

func (s *durations) TakeSignals() trace.SignalSink { return s }

func (s *durations) Operations(batch []trace.Operation) error {
	for _, o := range batch {
		s.all = append(s.all, fmt.Sprint(o.Verb, " ", time.Duration(o.Time), " ", time.Duration(o.Duration)))
	}
	return nil
}

// TestConnecting checks the durations of connections that are still in progress when the call that
// began them returns. Each connection begins at 100 ms.
func TestConnecting(t *testing.T) {
	const begun = `9 1.0 socket(AF_INET, SOCK_STREAM|SOCK_NONBLOCK, 0) = 3 <0.000001>
9 1.100 connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("9.9.9.9")}, 16) = -1 EINPROGRESS (Operation now in progress) <0.000020>
`
	for _, test := range []struct{ name, log, want string }{
		{"poll", "9 1.101 poll([{fd=3, events=POLLOUT}], 1, 500) = 1 ([{fd=3, revents=POLLOUT}]) <0.049000>\n9 1.160 sendto(3, \"a\", 1, 0, NULL, 0) = 1 <0.000010>\n",
			"open 100ms 50ms, send 160ms 10µs"},
		{"poll with notes", "9 1.101 poll([{fd=3<TCP:[7]>, events=POLLOUT}], 1, 500) = 1 ([{fd=3<TCP:[7]>, revents=POLLOUT|POLLERR}]) <0.049000>\n", "open 100ms 50ms"},
		{"poll of another", "9 1.101 poll([{fd=3, events=POLLOUT}, {fd=4, events=POLLIN}], 2, 500) = 1 ([{fd=4, revents=POLLIN}]) <0.049000>\n", "open 100ms 20µs"},
		{"poll in vain", "9 1.101 poll([{fd=3, events=POLLOUT}], 1, 500) = 0 (Timeout) <0.500000>\n", "open 100ms 20µs"},
		{"torn poll", "9 1.101 poll([{fd=3, events=POLLOUT}], 1, 500 <unfinished ...>\n8 1.110 getpid() = 8 <0.000001>\n9 1.150 <... poll resumed>) = 1 ([{fd=3, revents=POLLOUT}]) <0.049000>\n",
			"open 100ms 50ms"},
		{"select", "9 1.101 select(4, NULL, [3], NULL, {tv_sec=1, tv_usec=0}) = 1 (out [3], left {tv_sec=0, tv_usec=951000}) <0.049000>\n", "open 100ms 50ms"},
		{"epoll", "9 1.101 epoll_wait(5, [{events=EPOLLOUT, data={u32=9, u64=9}}], 8, -1) = 1 <0.049000>\n9 1.155 getsockopt(3, SOL_SOCKET, SO_ERROR, [0], [4]) = 0 <0.000001>\n",
			"open 100ms 55ms"},
		{"error before any wait", "9 1.155 getsockopt(3, SOL_SOCKET, SO_ERROR, [0], [4]) = 0 <0.000001>\n", "open 100ms 20µs"},
		{"first send", "9 1.155 sendto(3, \"a\", 1, 0, NULL, 0) = 1 <0.000001>\n", "open 100ms 55ms, send 155ms 1µs"},
		{"not yet", "9 1.155 recvfrom(3, 0x1, 9, 0, NULL, NULL) = -1 EAGAIN (Resource temporarily unavailable) <0.000001>\n", "open 100ms 20µs"},
		{"again", "9 1.155 connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"9.9.9.9\")}, 16) = -1 EISCONN (Transport endpoint is already connected) <0.000001>\n",
			"open 100ms 55ms"},
		{"closed", "9 1.155 close(3) = 0 <0.000001>\n", "open 100ms 20µs, close 155ms 1µs"},
		{"another socket's file", "9 1.110 open(\"/a\", O_RDONLY) = 4 <0.000001>\n9 1.155 sendto(3, \"a\", 1, 0, NULL, 0) = 1 <0.000001>\n",
			"open 100ms 55ms, open 110ms 1µs, send 155ms 1µs"},
	} {
		log := strings.NewReplacer("9 1.", "9 1700000000.", "8 1.", "8 1700000000.").Replace(begun + test.log)
		if err := tracetest.Check(t.Context(), recording{log}); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		s := &durations{}
		if _, err := strace.Decode(t.Context(), opener([]byte(log)), s, strace.Options{}); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if got := strings.Join(s.all, ", "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	local := strings.ReplaceAll(begun, "9.9.9.9", "127.0.0.1")
	s := &durations{}
	if _, err := strace.Decode(t.Context(), opener([]byte(local)), s, strace.Options{}); err != nil || len(s.all) > 0 {
		t.Errorf("within the machine: %v, %v", s.all, err)
	}
}
