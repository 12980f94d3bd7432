package perfetto_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/diffprof/diffprof/ingest/perfetto"
	"github.com/diffprof/diffprof/trace/tracetest"
	"github.com/diffprof/diffprof/trigger"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// An example is a trace that has the features in its name.
type example struct {
	name string
	data []byte
	opts perfetto.Options
}

// app encodes the packets that most examples share: an app with three threads, and the system.
func app(packets ...field) []byte {
	return file(append([]field{
		process(100, 10001, "com.mine"), thread(100, 101, "worker"), thread(100, 102, "RenderThread"), process(50, 1000, "system_server"),
	}, packets...)...)
}

// examples returns examples of all features.
func examples() []example {
	const main, worker, render, system = 100, 101, 102, 50
	table, err := trigger.Read(strings.NewReader("slices: [{component: gps, start: locate *}, {component: network, receive: fetch}]"))
	if err != nil {
		panic(err)
	}
	slices := func(name string) field {
		return bundle(0, mark(1000, main, "B|100|"+name), mark(1500, main, "E|100"))
	}
	// The uuids of tracks.
	const mainTrack, workerTrack, asyncTrack, counterTrack = 11, 12, 13, 14
	described := []field{
		packet(3, 0, msg(60, num(1, mainTrack), msg(4, num(1, 100), num(2, main), text(5, "main")))),
		packet(3, 0, msg(60, num(1, workerTrack), msg(4, num(1, 100), num(2, worker)))),
		packet(3, 0, msg(60, num(1, asyncTrack), num(5, mainTrack), text(2, "network"))),
		packet(3, 0, msg(60, num(1, counterTrack), text(2, "queue"), msg(8, num(3, 3), num(4, 1024), num(5, 1)))),
	}
	begin := func(track int64, name string, more ...field) field {
		return msg(11, append([]field{num(9, 1), num(11, track), text(23, name)}, more...)...)
	}
	end := func(track int64) field { return msg(11, num(9, 2), num(11, track)) }
	stacks := msg(12,
		msg(16, num(1, 1), text(2, "build")),
		msg(17, num(1, 1), text(2, "data")), msg(17, num(1, 2), text(2, "base.apk")), msg(17, num(1, 3), text(2, "libmine.so")), msg(17, num(1, 4), text(2, "libart.so")),
		msg(5, num(1, 1), text(2, "a.b.c")), msg(5, num(1, 2), text(2, "_ZN4mine4loadEv")), msg(5, num(1, 3), text(2, "ExecuteNterpImpl")),
		msg(19, num(1, 1), list(7, 1, 2)), msg(19, num(1, 2), num(2, 1), num(7, 1), num(7, 3)), msg(19, num(1, 3), num(7, 4)),
		msg(6, num(1, 1), num(2, 1), num(3, 1), num(4, 16), num(6, 7)), msg(6, num(1, 2), num(2, 2), num(3, 2), num(4, 32)),
		msg(6, num(1, 3), num(3, 2), num(4, 48)), msg(6, num(1, 4), num(2, 3), num(3, 3), num(4, 64)),
		msg(7, num(1, 1), num(2, 4), num(2, 1), num(2, 2)), msg(7, num(1, 2), num(2, 1), num(2, 3)),
	)
	named := []field{
		packet(9, 0, msg(61, text(1, "/data/libmine.so"), text(2, "build"),
			msg(3, num(1, 48), msg(2, text(1, "mine::inner()"), num(3, 5)), msg(2, text(1, "mine::outer()"), num(3, 9))))),
		packet(9, 0, msg(64, text(1, "com.mine"), msg(3, text(1, "a.b"), text(2, "com.mine.Feed"), msg(4, text(1, "c"), text(2, "load"))))),
	}
	cpuClock := func(fields ...field) field { return msg(59, msg(12, msg(1, fields...))) }
	perf := func(at, tid, stack int64, more ...field) field {
		return packet(4, at, append([]field{msg(66, num(1, 0), num(2, 100), num(3, tid), num(4, stack))}, more...)...)
	}
	return []example{
		{name: "ftrace of two cores, out of order in the file", data: app(
			bundle(1, switched(2000, 0, main), mark(2100, main, "B|100|inflate 7"), mark(2200, main, "C|100|heap|12"), mark(2300, main, "E|100"), mark(2350, main, "E|100"), switched(2400, main, 0)),
			bundle(0, switched(1000, 0, main), mark(1100, main, "B|100|doFrame 1234"), switched(1300, main, system), mark(1400, system, "B|50|not read"), switched(1500, system, 0)),
			bundle(0, event(1600, 0, msg(13, num(1, 2), num(2, 0))), event(1700, 0, msg(11, num(1, 1800), num(2, 4))), event(1800, 0, msg(13, num(1, math32), num(2, 0)))),
		)},
		{name: "compact switches among prints", data: app(
			bundle(0, mark(1100, worker, "B|100|load"), mark(1900, worker, "E|100"), compact(1000, worker, 1200, 0, 1500, worker, 2000, 0)),
		)},
		{name: "a number that a second thread gets", data: app(
			bundle(0, switched(1000, 0, worker), mark(1100, worker, "B|100|outer"), mark(1200, worker, "B|100|inner"), ended(1300, worker, 0),
				switched(1500, 0, worker), mark(1600, worker, "B|100|load"), mark(1700, worker, "E|100"), switched(1800, worker, 0)),
			bundle(1, switched(1000, 0, main), mark(1100, main, "B|100|draw"), ended(1900, main, 0)),
		)},
		{name: "a thread that ends in compact switches", data: app(
			bundle(0, mark(1100, worker, "B|100|outer"), msg(4, list(1, 1000, 300, 700), list(2, 1, 16, 1), list(3, worker, 0, 0))),
		)},
		{name: "no thread ends where events are lost", data: app(
			packet(1, 0, msg(1, num(1, 0), num(3, 1), switched(1000, 0, worker), mark(1100, worker, "B|100|outer"), ended(1300, worker, 0))),
			bundle(0, switched(1500, 0, worker), mark(1600, worker, "E|100"), switched(1800, worker, 0)),
		)},
		{name: "threads that only the kernel tells of", data: file(
			bundle(0, event(900, 7, msg(235, num(1, 8), text(2, "made"), num(3, 1<<16))), event(950, 7, msg(236, num(1, 7), text(2, "old"), text(3, "renamed"))),
				mark(1000, 7, "B|6|a"), mark(1100, 7, "E|6"), compact(1200, 8, 1300, 0)),
		), opts: perfetto.Options{Process: "6"}},
		{name: "track events", data: app(append(described,
			packet(3, 1000, begin(mainTrack, "onCreate")),
			packet(3, 3000, end(mainTrack)),
			// These packets are later in the file, and earlier in time.
			packet(3, 1500, begin(mainTrack, "read 3 files")),
			packet(3, 2000, end(mainTrack)),
			packet(3, 1600, begin(asyncTrack, "download")),
			packet(3, 2500, end(asyncTrack)),
			packet(3, 1200, msg(11, num(9, 4), num(11, counterTrack), num(30, 3))),
			packet(3, 1300, msg(11, num(9, 4), num(11, counterTrack), num(30, -1))),
			packet(3, 1400, msg(11, num(9, 4), num(11, counterTrack), double(44, 0.5))),
			packet(3, 2600, msg(11, num(9, 3), num(11, mainTrack), text(23, "an instant"))),
		)...)},
		{name: "names that are interned, and packets that were lost", data: app(append(described,
			packet(3, 1000, num(13, 1), msg(12, msg(2, num(1, 1), text(2, "first"))), msg(59, msg(11, num(11, mainTrack))), msg(11, num(9, 1), num(10, 1))),
			packet(3, 1100, num(13, 2), msg(11, num(9, 2))),
			packet(3, 1200, num(42, 1), num(13, 2), msg(11, num(9, 1), num(10, 1))),
			packet(3, 1300, num(13, 1), msg(12, msg(2, num(1, 1), text(2, "second"))), msg(59, msg(11, num(11, mainTrack)))),
			packet(3, 1400, num(13, 2), msg(11, num(9, 1), num(10, 1))),
			packet(3, 1500, num(13, 2), msg(11, num(9, 2))),
		)...)},
		{name: "energy of slices that diffprof wrote", data: app(append(described,
			packet(3, 1000, num(13, 1), msg(12, msg(3, num(1, 1), text(2, "self_nJ")), msg(3, num(1, 2), text(2, "other"))), begin(mainTrack, "com.mine.A$1.b")),
			packet(3, 1500, num(13, 2), begin(mainTrack, "com.mine.A$2.c")),
			packet(3, 2000, num(13, 2), msg(11, num(9, 2), num(11, mainTrack), msg(4, num(1, 2), num(4, 9)), msg(4, num(1, 1), num(4, 700)))),
			packet(3, 2500, num(13, 2), msg(11, num(9, 2), num(11, mainTrack), msg(4, num(1, 1), num(4, 30)))),
			packet(3, 3000, num(13, 1), begin(mainTrack, "outside")),
			packet(3, 3500, num(13, 2), msg(11, num(9, 2), num(11, mainTrack), msg(4, num(1, 1), num(4, 5)))),
		)...)},
		{name: "energy of slices of samples", data: app(append(described,
			packet(3, 1000, num(13, 1), msg(12, msg(3, num(1, 1), text(2, "sampled_nJ"))), begin(mainTrack, "a")),
			packet(3, 2000, num(13, 2), msg(11, num(9, 2), num(11, mainTrack), msg(4, num(1, 1), num(4, 700)))),
		)...)},
		{name: "energies below nothing", data: app(append(described,
			packet(3, 1000, num(13, 1), msg(12, msg(3, num(1, 1), text(2, "self_nJ"))), begin(mainTrack, "a")),
			packet(3, 2000, num(13, 2), msg(11, num(9, 2), num(11, mainTrack), msg(4, num(1, 1), num(4, -1)))),
		)...)},
		{name: "flows and the message queue", data: app(append(described,
			packet(3, 1000, begin(mainTrack, "click")),
			packet(3, 1100, msg(11, num(9, 3), num(11, mainTrack), text(23, "message_queue_send"), fixed(47, 77), msg(2004, text(2, "worker"), num(3, 5)))),
			packet(3, 1200, end(mainTrack)),
			packet(4, 1300, msg(11, num(9, 1), num(11, workerTrack), text(23, "message_queue_receive"), fixed(48, 77), msg(2004, text(1, "main")))),
			packet(4, 1350, begin(workerTrack, "step", fixed(47, 78))),
			packet(4, 1400, end(workerTrack)),
			packet(4, 1500, end(workerTrack)),
			packet(3, 1600, begin(mainTrack, "done", fixed(48, 78), fixed(48, 79))),
			packet(3, 1700, end(mainTrack)),
		)...)},
		{name: "events of Chrome's older format", data: app(
			packet(3, 0, num(13, 1), msg(44, num(1, 100), num(2, main), num(6, 50), num(7, 0))),
			packet(3, 0, msg(11, num(1, 5), text(23, "delta"), msg(6, num(2, 'B')))),
			packet(3, 0, msg(11, num(1, 5), msg(6, num(2, 'E')))),
			packet(3, 0, msg(11, num(16, 100), text(23, "whole"), msg(6, num(2, 'X'), num(3, 20)))),
			packet(3, 110_000, msg(11, text(23, "elsewhere"), msg(6, num(2, 'X'), num(3, 2), num(19, worker)))),
			packet(3, 0, msg(11, num(16, 111), text(23, "async"), msg(6, num(2, 'b'), num(6, 3)))),
		)},
		{name: "clocks: a sequence counts on from its own", data: app(append(described,
			packet(5, 0, msg(6, msg(1, num(1, 64), num(2, 10), num(3, 1), num(4, 1000)), msg(1, num(1, 3), num(2, 500_000)))),
			packet(5, 0, num(13, 1), msg(59, num(58, 64), msg(11, num(11, mainTrack)))),
			packet(5, 5, num(13, 2), msg(11, num(9, 1), text(23, "one"))),
			packet(5, 7, num(13, 2), msg(11, num(9, 2))),
			packet(6, 600_000, num(58, 3), begin(workerTrack, "by the monotonic clock")),
			packet(6, 610_000, num(58, 3), end(workerTrack)),
			packet(6, 620_000, num(58, 99), begin(workerTrack, "by no clock")),
			snapshot(2, 6, 9_000_000, 3, 500_000, 1, 1_600_000_000_000_000_000),
			snapshot(2, 6, 19_000_001, 3, 10_500_000, 1, 1_600_000_000_010_000_000),
			snapshot(2, 6, 19_000_002, 3, 10_499_999),
		)...)},
		{name: "a trace that is told by the monotonic clock", data: app(append(described,
			packet(3, 1000, num(58, 3), begin(mainTrack, "before the snapshot")),
			packet(3, 1200, num(58, 3), end(mainTrack)),
			packet(9, 0, msg(6, msg(1, num(1, 6), num(2, 501_000)), msg(1, num(1, 3), num(2, 1000)), num(2, 3))),
			bundle(0, mark(501_050, main, "B|100|by the other clock"), mark(501_100, main, "E|100")),
		)...)},
		{name: "a ring buffer's clock", data: app(
			packet(1, 0, msg(1, num(1, 0), num(5, 2), num(6, 100), num(7, 5100), mark(200, main, "B|100|shifted"), mark(300, main, "E|100"))),
			packet(1, 0, msg(1, num(1, 1), num(5, 3), mark(200, main, "B|100|a core's own"))),
		)},
		{name: "compressed packets", data: app(
			deflated(slices("deflated"), bundle(0, mark(1600, main, "B|100|inside"), mark(1700, main, "E|100"))),
			zstandard(bundle(0, mark(1800, main, "B|100|zstd"), mark(1900, main, "E|100"))),
			bundle(0, mark(2000, main, "B|100|plain"), mark(2100, main, "E|100")),
		)},
		{name: "what drains", data: app(slices("a"),
			packet(7, 0, msg(40, msg(1, num(1, 0), text(2, "S4M_VDD_CPUCL0"), text(3, "CPU(LITTLE)")))),
			packet(7, 5_000_001, msg(40, msg(2, num(1, 0), num(2, 4), num(3, 1000)), msg(2, num(1, 1), num(3, 7)))),
			packet(7, 6_000_000, msg(40, msg(2, num(1, 0), num(2, 6), num(3, 1005)))),
			packet(7, 7_000_000, msg(40, msg(2, num(1, 0), num(2, 7), num(3, 3)))),
			packet(8, 0, msg(77, msg(1, msg(1, num(1, 2), num(2, 0), text(3, "WIFI"), text(4, "wlan"))))),
			packet(8, 8_000_000, msg(77, num(2, 2), num(3, 50), msg(4, num(1, 10001), num(2, 20)))),
			packet(8, 9_000_000, msg(38, num(1, 4_430_000), field{2<<3 | 5, 0, 0, 0x9c, 0x42}, num(3, -1200), num(7, 3_900_000))),
			packet(8, 9_500_000, msg(91, msg(1, num(1, 0), num(2, 1), text(3, "Modem"), text(4, "Sleep")), msg(2, num(1, 0), num(2, 1), num(3, 900)))),
			packet(8, 9_600_000, msg(119, num(1, 2), list(2, 10001), list(3, 500, 600))),
			packet(8, 9_700_000, msg(119, list(2, 10001), list(3, 5, 0))),
			packet(8, 9_800_000, msg(115, msg(1, num(1, 1), text(2, "wlan_rx")), list(2, 1), list(3, 40))),
			packet(8, 9_900_000, msg(115, list(2, 1), list(3, 2))),
			bundle(0, event(9_910_000, 0, msg(113, text(1, "timekeeping_freeze"), num(3, 1))), event(9_920_000, 0, msg(113, text(1, "freeze_processes"), num(3, 1))),
				event(9_930_000, 0, msg(113, text(1, "timekeeping_freeze"), num(3, 0))), event(9_940_000, 0, msg(332, num(1, 0), num(2, 500)))),
		)},
		{name: "operations", data: app(slices("a"),
			packet(8, 2000, num(13, 1), msg(12, msg(30, num(1, 1), msg(2, num(1, 2), text(2, "wlan0"), num(4, 10001))), msg(42, num(1, 5), text(2, "sync"), num(5, 10001)))),
			packet(8, 2100, msg(92, num(1, 1), list(3, 0, 50), list(4, 1500, 60))),
			packet(8, 2200, msg(88, num(1, 1), text(2, "wlan0"), num(3, 99), num(4, 10002))),
			packet(8, 2300, msg(88, num(1, 1), text(2, "wlan0"), num(3, 98))),
			packet(8, 2400, msg(92, msg(2, num(1, 1), text(2, "rmnet0"), num(4, 10001)), num(5, 3), num(7, 4000))),
			packet(8, 2500, msg(116, list(1, 5, 5), list(2, 100<<1|1, 200<<1))),
			bundle(0, event(2800, 0, msg(404, text(1, "event0"))), event(2900, 0, msg(405, text(1, "event0")))),
			snapshot(2, 6, 1000, 1, 5_000_000),
			packet(8, 3000, msg(39, msg(1, num(4, 10001), num(5, 5_001_800), text(6, "Feed"), text(8, "loaded")), msg(1, num(4, 10002), num(5, 5_001_900), text(6, "Other"), text(8, "no")))),
		)},
		{name: "operations of threads", data: app(
			bundle(0,
				mark(1000, main, "B|100|a"), mark(1100, main, "S|100|WakeLock (com.mine:sync)|7"), event(1200, main, msg(404, text(1, "event0"))),
				mark(1300, main, "S|100|animator|8"), mark(1500, main, "E|100"), mark(1600, worker, "F|100|WakeLock (com.mine:sync)|7"),
				mark(1700, system, "S|50|WakeLock (other)|1"), event(1800, system, msg(405, text(1, "event0")))),
			snapshot(2, 6, 1000, 1, 5_000_000),
			packet(8, 3000, msg(39, msg(1, num(3, main), num(4, 10001), num(5, 5_000_300), text(6, "Feed"), text(8, "loaded")))),
		)},
		{name: "asynchronous slices that a table of triggers names", opts: perfetto.Options{Triggers: table}, data: app(
			bundle(0,
				mark(1000, main, "B|100|a"), mark(1100, main, "S|100|locate 7|7"), mark(1200, main, "S|100|fetch|1"), mark(1300, main, "E|100"),
				mark(1400, system, "S|50|locate 8|7"), mark(1500, worker, "F|100|locate 7|7"), mark(1600, worker, "F|100|fetch|1")),
		)},
		{name: "states of threads of another kernel", data: file(
			packet(2, 0, msg(122, msg(1, num(1, 20), text(3, "app.exe")), msg(2, num(1, 21), num(2, 20), text(3, "main")))),
			packet(2, 1000, msg(117, num(1, 0), num(3, 21), num(4, 3))),
			packet(2, 1100, msg(118, num(1, 0), num(2, 2_000_000_000))),
			packet(2, 1500, msg(117, num(1, 0), num(3, 21), num(4, 4))),
		)},
		{name: "samples of perf", data: app(append(named,
			packet(4, 0, num(13, 1), stacks, cpuClock(num(2, 1000), num(4, 1))),
			perf(3000, main, 1), perf(1000, main, 2), perf(2000, worker, 9),
			packet(4, 4000, msg(66, num(1, 0), num(17, 12))),
			packet(4, 4100, msg(66, num(2, 100), num(3, main), num(18, 3))),
			packet(4, 4200, msg(66, num(2, 50), num(3, system), num(4, 1))),
		)...)},
		{name: "samples of cycles", data: app(
			packet(4, 0, num(13, 1), stacks, cpuClock(num(1, 100_000), num(4, 10), text(10, "cpu-cycles"))), perf(1000, main, 1),
		)},
		{name: "slices are read rather than samples of cycles", data: app(slices("a"),
			packet(4, 0, num(13, 1), stacks, cpuClock(num(1, 100_000), num(4, 10))), perf(1000, main, 1),
		)},
		{name: "stack samples", data: app(
			packet(4, 0, num(13, 1), stacks, msg(59, msg(100, text(1, "py"), msg(2, text(2, "cpu-time"), num(3, 1), num(5, 1000))))),
			packet(4, 0, msg(12, msg(48, num(1, 1), num(2, 100), num(3, worker)), msg(50, num(1, 1), text(2, "wall-time"), num(3, 1)))),
			packet(4, 1000, msg(135, msg(1, num(2, 100), num(3, main)), msg(5, msg(1, text(1, "app.main"), text(2, "app.py"), num(3, 10)), msg(1, text(1, "app.load"), num(3, 42))), num(11, 5))),
			packet(4, 2000, msg(135, num(2, 1), num(6, 1), num(11, 7))),
			packet(4, 3000, msg(135, num(2, 1), num(6, 1), num(10, 1), num(11, 9))),
		)},
		{name: "the configuration names the app", data: file(
			process(100, 10001, "com.mine"), process(200, 10002, "com.other"),
			packet(9, 0, msg(33, num(3, 10_000), msg(2, msg(1, text(1, "linux.ftrace"), msg(100, text(3, "com.other")))))),
			bundle(0, mark(1000, 100, "B|100|a"), mark(1100, 100, "E|100"), mark(1200, 200, "B|200|b"), mark(1300, 200, "E|200")),
		)},
		{name: "the list of packages tells the app", data: file(
			process(100, 10001, "com.mine"), process(200, 10002, "com.other"),
			packet(9, 0, msg(47, msg(1, text(1, "com.other"), num(2, 10002), num(3, 0)), msg(1, text(1, "com.mine"), num(2, 10001), num(4, 1)))),
			bundle(0, mark(1000, 100, "B|100|a"), mark(1100, 100, "E|100"), mark(1200, 200, "B|200|b"), mark(1300, 200, "E|200"), mark(1400, 200, "B|200|b"), mark(1500, 200, "E|200")),
		)},
		{name: "what the screen does", data: app(
			packet(7, 900, msg(70, num(1, 2), double(2, 0.5))),
			packet(7, 1000, msg(86, msg(1, text(1, "debug.tracing.screen_state"), text(2, "2")), msg(1, text(1, "debug.tracing.device_state"), text(2, "folded")))),
			bundle(0, mark(1100, main, "B|100|a"), mark(1200, system, "C|50|ScreenBrightness|255"), mark(1300, system, "C|50|ScreenBrightness|2047"),
				mark(1400, system, "C|50|ScreenState|3"), mark(1500, system, "C|50|battery_stats.screen|0"), mark(1600, system, "C|50|ScreenState|2"), mark(1700, main, "E|100")),
		)},
		{name: "raw system calls", data: app(
			packet(9, 0, msg(45, msg(1, text(4, "aarch64")), text(2, "google/bluejay/bluejay:13/TQ1A/8949995:user/release-keys"))),
			bundle(0, mark(1000, main, "B|100|sync"), sysEnter(1010, main, 198, 2, 1, 0), sysExit(1020, main, 198, 7), sysEnter(1030, main, 203, 7, 0, 16), sysExit(1040, main, 203, -115)),
			bundle(1, sysEnter(1035, worker, 207, 7, 0, 512), sysExit(1200, worker, 207, 300)),
			bundle(0, sysEnter(1050, main, 206, 7, 0, 128), sysExit(1060, main, 206, 128), sysEnter(1070, main, 63, 99, 0, 8), sysExit(1080, main, 63, 8),
				sysEnter(1090, main, 63), sysExit(1095, main, 63, 8), sysEnter(1100, system, 206, 7, 0, 128), mark(1300, main, "E|100")),
		)},
		{name: "another machine's packets", data: app(slices("a"), packet(1, 0, num(98, 7), msg(1, num(1, 0), mark(1, main, "B|100|not read"))))},
		{name: "a cut trace", data: append(app(slices("a")), 0x0a, 0x10, 1), opts: perfetto.Options{Partial: true}},
		{name: "a cut trace is an error", data: append(app(slices("a")), 0x0a, 0x10, 1)},
		{name: "no such process", data: app(slices("a")), opts: perfetto.Options{Process: "com.none"}},
		{name: "no such samples", data: app(slices("a")), opts: perfetto.Options{SampleType: "perf"}},
		{name: "lists of two lengths", data: app(bundle(0, msg(4, list(1, 1, 2), list(3, 1))))},
	}
}

// math32 is the kernel's value for leaving idle.
const math32 = 1<<32 - 1

// TestDecode decodes each example.
func TestDecode(t *testing.T) {
	const path = "testdata/examples.txtar"
	archive, err := txtar.ParseFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	got := &txtar.Archive{Comment: []byte("What examples of traces are read as. See examples in golden_test.go.\n")}
	for _, e := range examples() {
		r := recording{e.data, e.opts}
		shown := render(r)
		got.Files = append(got.Files, txtar.File{Name: e.name, Data: []byte(shown)})
		if len(shown) > 6 && shown[:6] == "error:" {
			continue
		}
		if err := tracetest.Check(t.Context(), r); err != nil {
			t.Errorf("%s: %v", e.name, err)
		}
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := map[string]string{}
	for _, f := range archive.Files {
		want[f.Name] = string(f.Data)
	}
	for _, f := range got.Files {
		if want[f.Name] != string(f.Data) {
			t.Errorf("%s: got\n%s\nwant\n%s", f.Name, f.Data, want[f.Name])
		}
	}
	if len(want) != len(got.Files) {
		t.Errorf("%d examples, %d in %s", len(got.Files), len(want), path)
	}
}
