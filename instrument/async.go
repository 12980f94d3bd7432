package instrument

import (
	"slices"
	"strings"

	"github.com/diffprof/diffprof/code/dex"
)

// A transfer is a way in which a call hands over asynchronous work.
type transfer uint8

const (
	noTransfer transfer = iota
	// once is for work that is carried out once, such as the work of Handler.post. repeated is for work
	// that is carried out several times, such as the work of Timer.scheduleAtFixedRate.
	once
	repeated
	// numbered means that the work is a message with only a number, which a handler gets.
	numbered
)

const (
	runnable = "Ljava/lang/Runnable;"
	callable = "Ljava/util/concurrent/Callable;"
	message  = "Landroid/os/Message;"
)

// A handOver is a group of framework methods that hand over asynchronous work.
type handOver struct {
	// class is the class or interface that declares the methods, with dots.
	class string
	names []string
	// work has types, such as Runnable. The first parameter with one of these types is the work. If
	// work is nil, the receiver of the call is the work.
	work []string
	how  transfer
}

// handOvers are the methods that hand over asynchronous work. docs/instrument.md lists them.
var handOvers = []handOver{
	{class: "android.os.Handler", names: []string{"post", "postAtFrontOfQueue", "postAtTime", "postDelayed"}, work: []string{runnable}, how: once},
	{class: "android.os.Handler", names: []string{"sendMessage", "sendMessageAtFrontOfQueue", "sendMessageAtTime", "sendMessageDelayed"}, work: []string{message}, how: once},
	{class: "android.os.Handler", names: []string{"sendEmptyMessage", "sendEmptyMessageAtTime", "sendEmptyMessageDelayed"}, how: numbered},
	{class: "android.os.Message", names: []string{"sendToTarget"}, how: once},
	{class: "android.view.View", names: []string{"post", "postDelayed", "postOnAnimation", "postOnAnimationDelayed"}, work: []string{runnable}, how: once},
	{class: "android.view.Choreographer", names: []string{"postFrameCallback", "postFrameCallbackDelayed"}, work: []string{"Landroid/view/Choreographer$FrameCallback;"}, how: once},
	{class: "android.app.Activity", names: []string{"runOnUiThread"}, work: []string{runnable}, how: once},
	{class: "android.os.AsyncTask", names: []string{"execute"}, work: []string{runnable}, how: once},
	{class: "android.os.AsyncTask", names: []string{"execute", "executeOnExecutor"}, how: repeated},
	{class: "java.lang.Thread", names: []string{"start"}, how: once},
	{class: "java.lang.Thread", names: []string{"<init>"}, work: []string{runnable}, how: once},
	{class: "java.util.Timer", names: []string{"schedule", "scheduleAtFixedRate"}, work: []string{"Ljava/util/TimerTask;"}, how: repeated},
	{class: "java.util.concurrent.Executor", names: []string{"execute"}, work: []string{runnable}, how: once},
	{class: "java.util.concurrent.ExecutorService", names: []string{"submit"}, work: []string{runnable, callable}, how: once},
	{class: "java.util.concurrent.CompletionService", names: []string{"submit"}, work: []string{runnable, callable}, how: once},
	{class: "java.util.concurrent.ScheduledExecutorService", names: []string{"schedule"}, work: []string{runnable, callable}, how: once},
	{class: "java.util.concurrent.ScheduledExecutorService", names: []string{"scheduleAtFixedRate", "scheduleWithFixedDelay"}, work: []string{runnable}, how: repeated},
	{class: "java.util.concurrent.FutureTask", names: []string{"<init>"}, work: []string{runnable, callable}, how: once},
	{class: "java.util.concurrent.CompletableFuture", names: []string{"runAsync", "supplyAsync"}, work: []string{runnable, "Ljava/util/function/Supplier;"}, how: once},
}

// A carrier is a method of the app that the framework calls to carry out asynchronous work.
type carrier struct {
	// class is the class or interface that declares the method, with dots.
	class, method string
	// parameter is the index of the work among the parameters. The receiver has the index 0.
	parameter int
}

// carriers are the methods that carry out asynchronous work.
var carriers = []carrier{
	{"java.lang.Runnable", "run()V", 0},
	{"java.util.concurrent.Callable", "call()Ljava/lang/Object;", 0},
	{"java.util.function.Supplier", "get()Ljava/lang/Object;", 0},
	{"android.os.Handler", "handleMessage(Landroid/os/Message;)V", 1},
	{"android.os.Handler$Callback", "handleMessage(Landroid/os/Message;)Z", 1},
	{"android.view.Choreographer$FrameCallback", "doFrame(J)V", 0},
	{"android.os.AsyncTask", "doInBackground([Ljava/lang/Object;)Ljava/lang/Object;", 0},
	{"android.os.AsyncTask", "onProgressUpdate([Ljava/lang/Object;)V", 0},
	{"android.os.AsyncTask", "onPostExecute(Ljava/lang/Object;)V", 0},
}

// A work tells how a call hands over asynchronous work, and which argument is the work.
type work struct {
	how transfer
	// argument is the index of the work among the registers of the call.
	argument int
}

// handedOver returns the work that a call hands over. class is the framework class that the call
// reaches.
func (p *planner) handedOver(f *dex.File, in *dex.Instruction, class string) work {
	id := f.Methods[in.Index]
	name := f.Strings[id.Name]
	for i := range handOvers {
		h := &handOvers[i]
		if !slices.Contains(h.names, name) || !p.isSubtype(class, h.class) {
			continue
		}
		isStatic := in.Op == dex.OpInvokeStatic || in.Op == dex.OpInvokeStatic+rangeForm
		if h.work == nil {
			if !isStatic {
				return work{how: h.how}
			}
			continue
		}
		list, err := f.TypeList(f.Protos[id.Proto].Parameters)
		if err != nil {
			return work{}
		}
		at := 1
		if isStatic {
			at = 0
		}
		for _, t := range list {
			descriptor := f.Descriptor(uint32(t))
			if slices.Contains(h.work, descriptor) {
				if name == "schedule" && len(list) == 2 {
					return work{once, at} // The timer has no period.
				}
				return work{h.how, at}
			}
			at += words(descriptor)
		}
	}
	return work{}
}

// words returns the number of registers of a value with the given type.
func words(descriptor string) int {
	if descriptor == "J" || descriptor == "D" {
		return 2
	}
	return 1
}

// carriedOut returns which parameter is the asynchronous work that a method of the app does. For
// example, it returns 0, the receiver, for Runnable.run. It returns -1 for methods that do no such
// work.
func (p *planner) carriedOut(f *dex.File, class string, m dex.Method) int {
	if m.Access&dex.AccStatic != 0 {
		return -1
	}
	method := signature(f, m.Index)
	for _, c := range carriers {
		if c.method == method && p.isSubtype(class, c.class) {
			return c.parameter
		}
	}
	return -1
}

// isSubtype reports whether a class equals super or is a subtype of it. super is a framework class,
// with dots.
func (h *hierarchy) isSubtype(descriptor, super string) bool {
	const most = 1000 // In a damaged file, classes may extend each other.
	above := []string{descriptor}
	for i := 0; i < len(above) && i < most; i++ {
		c := h.classes[above[i]]
		if c == nil {
			if ancestor := dex.ClassName(above[i]); ancestor == super || h.table.Subtype(ancestor, super) {
				return true
			}
			continue
		}
		for _, next := range append(c.interfaces[:len(c.interfaces):len(c.interfaces)], c.super) {
			if strings.HasPrefix(next, "L") && !slices.Contains(above, next) {
				above = append(above, next)
			}
		}
	}
	return false
}
