package instrument

import (
	"cmp"
	"slices"

	"github.com/diffprof/diffprof/code/dex"
	"github.com/diffprof/diffprof/name"
)

// Kinds of calls whose start and end are recorded, as written in the map. The energy of such a call
// does not depend on the lines of its caller.
const (
	// works is the kind of a call that does something, such as input or output.
	works = "works"
	// waits is the kind of a call in which the thread only waits.
	waits = "waits"
)

// waiting lists methods in which a thread only waits, by class. It includes the methods of
// subtypes. These are methods that apps call. The table in package platform has other methods:
// those that are innermost on the stack while a thread waits.
var waiting = map[string][]string{
	"android.os.ConditionVariable":           {"block"},
	"android.os.SystemClock":                 {"sleep"},
	"java.lang.Object":                       {"wait"},
	"java.lang.Process":                      {"waitFor"},
	"java.lang.Thread":                       {"join", "sleep", "yield"},
	"java.net.ServerSocket":                  {"accept"},
	"java.nio.channels.Selector":             {"select"},
	"java.util.concurrent.BlockingQueue":     {"offer", "poll", "put", "take"},
	"java.util.concurrent.CountDownLatch":    {"await"},
	"java.util.concurrent.CyclicBarrier":     {"await"},
	"java.util.concurrent.ExecutorService":   {"awaitTermination"},
	"java.util.concurrent.Future":            {"get", "join"},
	"java.util.concurrent.Semaphore":         {"acquire", "acquireUninterruptibly", "tryAcquire"},
	"java.util.concurrent.TimeUnit":          {"sleep", "timedJoin", "timedWait"},
	"java.util.concurrent.locks.Condition":   {"await", "awaitNanos", "awaitUninterruptibly", "awaitUntil"},
	"java.util.concurrent.locks.Lock":        {"lock", "lockInterruptibly", "tryLock"},
	"java.util.concurrent.locks.LockSupport": {"park", "parkNanos", "parkUntil"},
}

// working lists methods for input and output, by class. It includes the methods of subtypes. A
// class without names means all its methods.
var working = map[string][]string{
	"android.content.ContentProviderClient":    nil,
	"android.content.ContentResolver":          nil,
	"android.content.SharedPreferences$Editor": {"commit"},
	"android.content.res.AssetManager":         {"open", "openFd", "openNonAssetFd", "list"},
	"android.database.sqlite.SQLiteDatabase":   nil,
	"android.database.sqlite.SQLiteProgram":    {"execute", "executeInsert", "executeUpdateDelete", "simpleQueryForLong", "simpleQueryForString"},
	"android.graphics.BitmapFactory":           nil,
	"java.io.File":                             {"canRead", "canWrite", "createNewFile", "delete", "exists", "isDirectory", "isFile", "lastModified", "length", "list", "listFiles", "mkdir", "mkdirs", "renameTo"},
	"java.io.InputStream":                      {"available", "close", "read", "readAllBytes", "readNBytes", "skip", "transferTo"},
	"java.io.OutputStream":                     {"close", "flush", "write"},
	"java.io.RandomAccessFile":                 nil,
	"java.io.Reader":                           {"close", "read", "readLine", "ready", "skip"},
	"java.io.Writer":                           {"append", "close", "flush", "newLine", "write"},
	"java.net.DatagramSocket":                  {"receive", "send"},
	"java.net.InetAddress":                     {"getAllByName", "getByName", "isReachable"},
	"java.net.Socket":                          {"close", "connect", "getInputStream", "getOutputStream"},
	"java.net.URL":                             {"getContent", "openStream"},
	"java.net.URLConnection":                   {"connect", "getContent", "getContentLength", "getErrorStream", "getHeaderField", "getInputStream", "getOutputStream", "getResponseCode", "getResponseMessage"},
	"java.nio.channels.Channel":                {"close", "connect", "force", "read", "receive", "send", "transferFrom", "transferTo", "write"},
	"java.nio.file.Files":                      nil,
}

// inMemory has classes for input and output that only copy memory, so their calls are not timed.
var inMemory = []string{
	"java.io.ByteArrayInputStream", "java.io.ByteArrayOutputStream", "java.io.CharArrayReader", "java.io.CharArrayWriter", "java.io.StringReader",
	"java.io.StringWriter",
}

// timed returns "works" or "waits" if the calls at a site are timed, and "" if they are only
// counted.
func (p *planner) timed(s *mapSite) string {
	if !p.Paths || s.Name == "<init>" {
		return ""
	}
	class := cmp.Or(s.Resolved, s.Class)
	if kind := p.kindsOf(class).kind(s.Name); kind != "" {
		return kind
	}
	m := name.OfClass(class, s.Name, s.Descriptor)
	if p.Invocations != nil && p.Invocations.has(class, m) || p.Requests != nil && p.Requests(m) {
		return works
	}
	return ""
}

// A kinds maps the methods of a class to the kinds of their calls. The empty name means any method.
type kinds map[string]string

// kind returns the kind of calls of a method, or "" if they are only counted.
func (k kinds) kind(method string) string { return cmp.Or(k[method], k[""]) }

// kindsOf returns the kinds of calls for a class, including those for its supertypes.
func (p *planner) kindsOf(class string) kinds {
	k, ok := p.kinds[class]
	if ok {
		return k
	}
	seen := map[string]bool{class: true}
	for queue := []string{class}; len(queue) > 0 && !slices.Contains(inMemory, queue[0]); queue = queue[1:] {
		add := func(list map[string][]string, kind string) {
			names, ok := list[queue[0]]
			if ok && names == nil {
				names = []string{""}
			}
			for _, n := range names {
				if k == nil {
					k = make(kinds)
				}
				k[n] = kind
			}
		}
		add(working, works)
		add(waiting, waits)
		for super := range p.table.Supertypes(queue[0]) {
			if !seen[super] {
				seen[super] = true
				queue = append(queue, super)
			}
		}
	}
	if p.kinds == nil {
		p.kinds = make(map[string]kinds)
	}
	p.kinds[class] = k
	return k
}

// timeCalls adds the probes after timed calls. If such a probe would lack a necessary exception
// handler, the call is only counted.
func (t *tracer) timeCalls() {
	b := t.body
	for _, i := range t.sites {
		c := t.calls[i]
		if !c.timed {
			continue
		}
		last := i
		if next := &b.Code[i+1]; next.Op >= dex.OpMoveResult && next.Op <= opMoveResultLast {
			last++
		}
		handler, ok := t.behind(i, last)
		if !ok || c.how != noTransfer || !t.numbers.Reachable(int(t.graph.block[i])) {
			c.timed = false
			t.calls[i] = c
			if t.untimed != nil {
				t.untimed(&b.Code[i])
			}
			continue
		}
		done := t.rewriter.invoke(t.target.Invoked, t.token, 1, handler)
		t.after[last] = append(slices.Clip(t.after[last]), done)
		t.covered = append(t.covered, done)
	}
}

// behind returns the exception handlers for a probe after a call. last is the call, or the
// instruction that moves its result to a register. While a lock is held, the handlers must catch
// all exceptions. If neither neighbor has such handlers, ok is false: handlers from elsewhere may
// need registers that have no value yet.
func (t *tracer) behind(call, last int) (handler int, ok bool) {
	locks := t.locksBehind(call)
	if h := t.at(last + 1); locks <= 0 || t.catchesAll(h, locks) {
		return h, true
	}
	h := t.at(call)
	return h, last == call && t.catchesAll(h, locks)
}

// timedCall adds the probe before a timed call. It passes two consecutive registers: the register
// for exceptions, which is free there and gets the ID, and the register of the token.
func (t *tracer) timedCall(id int32, handler int) []int {
	return []int{t.constant(id, t.exception, handler), t.rewriter.invoke(t.target.Invoke, t.exception, 2, handler)}
}
