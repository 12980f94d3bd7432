package main

import (
	"fmt"
	"strings"
)

// This file has the call paths by which Android runs the code of an app. Each function has a
// parameter for the calls of the app. Classes are relative to the app's package.

// chores returns fragments by name, as in "setText setAlpha#12 readFlag#3=1.5". Each fragment is
// called once per call of the caller, or the number of times after # in total. The number after =
// is its energy in µAh. Without it, the fragment gets a share of the energy that is not stated.
func chores(names string) []*node {
	var nodes []*node
	for _, word := range strings.Fields(names) {
		word, uAh, stated := strings.Cut(word, "=")
		name, total, counted := strings.Cut(word, "#")
		n := fragment(name)
		if counted {
			n.attribute("#" + total)
		}
		if stated {
			n.attribute("=" + uAh)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// chain returns depth nested calls inside the app, like the layers of reactive libraries and of
// dependency injection. The innermost one runs body.
func chain(library string, depth int, body ...[]*node) []*node {
	inner := join(body...)
	for i := depth; i > 0; i-- {
		inner = outline(fmt.Sprintf("%s.%s.%s(Ljava/lang/Object;)V #1 w=0\n\t<inner>",
			library, letters(i%9), letters(i)), slots{"inner": inner})
	}
	return inner
}

// drains sets the energy of a thread's outermost call.
func (t thread) drains(uAh float64) thread {
	t.calls[0].inclusive = uAh
	return t
}

// does returns n calls of an app method with the given class, name, descriptor and inclusive
// µAh.
func does(class, method string, n int, uAh float64, body ...[]*node) *node {
	text := fmt.Sprintf("~.%s.%s #%d", class, method, n)
	if uAh > 0 {
		text += fmt.Sprintf(" =%g", uAh)
	}
	return outline(text+"\n\t<body>", slots{"body": join(body...)})[0]
}

func join(parts ...[]*node) []*node {
	var all []*node
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func wrap(text string, body *node) []*node { return outline(text, slots{"body": {body}}) }

// The next functions return callees of Handler.handleCallback on the main thread.

func click(class string, n int, uAh float64, body ...[]*node) []*node {
	return wrap("View$PerformClick.run one\n\tView.performClick one\n\t\t<body>",
		does(class, "onClick(Landroid/view/View;)V", n, uAh, body...))
}

func itemClick(class string, n int, uAh float64, body ...[]*node) []*node {
	return wrap("AbsListView$PerformClick.run one\n\tAdapterView.performItemClick one\n\t\t<body>",
		does(class, "onItemClick(Landroid/widget/AdapterView;Landroid/view/View;IJ)V", n, uAh, body...))
}

func receive(class string, n int, uAh float64, body ...[]*node) []*node {
	return wrap("LoadedApk$ReceiverDispatcher$Args.run one\n\t<body>",
		does(class, "onReceive(Landroid/content/Context;Landroid/content/Intent;)V", n, uAh, body...))
}

func posted(class string, n int, uAh float64, body ...[]*node) []*node {
	return []*node{does(class, "run()V", n, uAh, body...)}
}

// frame returns the work for the frames of the display: animations, traversals and the app's own
// callbacks.
func frame(parts ...[]*node) []*node {
	return outline(`
Choreographer$FrameDisplayEventReceiver.run one
	Choreographer.doFrame sum
		Trace.traceBegin
			Trace.nativeTraceBegin w=2
		Choreographer.doCallbacks one
			Choreographer$CallbackRecord.run one
				<parts>
`, slots{"parts": join(parts...)})
}

func onFrame(class string, n int, uAh float64, body ...[]*node) []*node {
	return []*node{does(class, "doFrame(J)V", n, uAh, body...)}
}

// traversal measures, lays out and draws a window with the given number of views n times. The app's
// views use body to draw themselves.
func traversal(attributes string, n, views int, body []*node) []*node {
	return outline(fmt.Sprintf(`
ViewRootImpl$TraversalRunnable.run #%[1]d late
	ViewRootImpl.doTraversal
		ViewRootImpl.performTraversals %[3]s
			ViewRootImpl.measureHierarchy
				ViewRootImpl.performMeasure
					View.measure
						PhoneWindow$DecorView.onMeasure
							FrameLayout.onMeasure w=2
								ViewGroup.measureChildWithMargins x%[2]d
									View.measure w=2
										LinearLayout.onMeasure x0.25
											LinearLayout.measureVertical w=3
										TextView.onMeasure x0.5 w=4
										ImageView.onMeasure x0.25 w=2
			ViewRootImpl.performLayout
				ViewGroup.layout
					View.layout
						FrameLayout.onLayout
							FrameLayout.layoutChildren w=2
								ViewGroup.layout x%[2]d
									View.layout w=2
			ViewTreeObserver.dispatchOnPreDraw w=2
			ViewRootImpl.performDraw
				ViewRootImpl.draw w=2
					ThreadedRenderer.draw w=2
						ThreadedRenderer.updateRootDisplayList
							ThreadedRenderer.updateViewTreeDisplayList
								View.updateDisplayListIfDirty
									ViewGroup.dispatchGetDisplayList x%[2]d
										ViewGroup.recreateChildDisplayList
									RenderNode.start w=2
									PhoneWindow$DecorView.draw
										View.draw w=2
											ViewGroup.dispatchDraw w=2
												ViewGroup.drawChild x3 w=2
													<body>
									RenderNode.end w=2
						ThreadedRenderer.nSyncAndDrawFrame w=30
`, n, views, attributes), slots{"body": body})
}

func onDraw(class string, n int, uAh float64, body ...[]*node) []*node {
	return []*node{does(class, "onDraw(Landroid/graphics/Canvas;)V", n, uAh, body...)}
}

// The next functions return other callees of Handler.dispatchMessage on the main thread.

func launch(class string, n int, uAh float64, body ...[]*node) []*node {
	return wrap(`
ActivityThread$H.handleMessage one
	ActivityThread.access$800 one
		ActivityThread.handleLaunchActivity one
			ActivityThread.performLaunchActivity one
				Instrumentation.callActivityOnCreate one
					Activity.performCreate one
						<body>
`, does(class, "onCreate(Landroid/os/Bundle;)V", n, uAh, body...))
}

// fragmentView returns a fragment that makes its view when its transaction runs.
func fragmentView(class string, n int, uAh float64, body ...[]*node) []*node {
	return wrap(`
FragmentManagerImpl$1.run one
	FragmentManagerImpl.execPendingActions one
		BackStackRecord.run one
			FragmentManagerImpl.moveToState one
				<body>
`, does(class, "onCreateView(Landroid/view/LayoutInflater;Landroid/view/ViewGroup;Landroid/os/Bundle;)Landroid/view/View;", n, uAh, body...))
}

func service(class string, n int, uAh float64, body ...[]*node) []*node {
	return wrap("ActivityThread$H.handleMessage one\n\tActivityThread.handleServiceArgs one\n\t\t<body>",
		does(class, "onStartCommand(Landroid/content/Intent;II)I", n, uAh, body...))
}

func handles(class string, n int, uAh float64, body ...[]*node) []*node {
	return []*node{does(class, "handleMessage(Landroid/os/Message;)V", n, uAh, body...)}
}

func result(class string, n int, uAh float64, body ...[]*node) []*node {
	return wrap("AsyncTask$InternalHandler.handleMessage one\n\tAsyncTask.finish one\n\t\t<body>",
		does(class, "onPostExecute(Ljava/lang/Object;)V", n, uAh, body...))
}

// The next functions return threads.

// mainThread is a recording of the main thread from the app's start.
func mainThread(attributes string, polls string, callbacks, messages []*node) thread {
	return thread{id: 1, name: "main", calls: outline(fmt.Sprintf(`
ZygoteInit.main open w=0
	ZygoteInit$MethodAndArgsCaller.run open w=0
		Method.invoke open w=0
			ActivityThread.main open w=0
				Looper.loop open w=0 %s
					MessageQueue.next %s
						MessageQueue.nativePollOnce idle w=3
					Handler.dispatchMessage one
						Handler.handleCallback one
							<callbacks>
						<messages>
`, attributes, polls), slots{"callbacks": callbacks, "messages": messages})}
}

// midRun is a recording of the main thread that began at a click of starter, while Looper.loop was
// running, and ended at a posted task.
func midRun(starter string, polls string, callbacks, messages []*node) thread {
	return thread{id: 1, name: "main", calls: outline(fmt.Sprintf(`
Handler.dispatchMessage unseen
	Handler.handleCallback unseen
		View$PerformClick.run unseen
			View.performClick unseen
				~.%[1]s.onClick(Landroid/view/View;)V unseen
					Debug.startMethodTracing unseen
						VMDebug.startMethodTracing unseen w=0
Handler.dispatchMessage one
	Handler.handleCallback one
		<callbacks>
	<messages>
MessageQueue.next %[2]s
	MessageQueue.nativePollOnce idle w=3
Handler.dispatchMessage open
	Handler.handleCallback open
		~.%[1]s$2.run()V open
			Debug.stopMethodTracing open
				VMDebug.stopMethodTracing open w=0
`, starter, polls), slots{"callbacks": callbacks, "messages": messages})}
}

// pool is a worker of a thread pool that always waits for its next task.
func pool(name string, parts ...[]*node) thread {
	return thread{name: name, calls: outline(`
Thread.run open
	ThreadPoolExecutor$Worker.run open
		ThreadPoolExecutor.runWorker open
			<parts>
			ThreadPoolExecutor.getTask #20
				LinkedBlockingQueue.take
					Unsafe.park idle
`, slots{"parts": join(parts...)})}
}

// asyncTask is a worker that runs AsyncTasks.
func asyncTask(name, class string, n int, uAh float64, body ...[]*node) thread {
	return pool(name, wrap("FutureTask.run one\n\tAsyncTask$2.call one\n\t\t<body>",
		does(class, "doInBackground([Ljava/lang/Object;)Ljava/lang/Object;", n, uAh, body...)))
}

// ownThread is a thread that the app starts for one task.
func ownThread(name, class string, uAh float64, body ...[]*node) thread {
	return thread{name: name, calls: wrap("Thread.run\n\t<body>", does(class, "run()V", 1, uAh, body...))}
}

// subclass is a thread of a class of the app that overrides run.
func subclass(name, class string, n int, uAh float64, body ...[]*node) thread {
	return thread{name: name, calls: []*node{does(class, "run()V", n, uAh, body...)}}
}

func handlerThread(name, attributes, polls string, messages []*node) thread {
	return thread{name: name, calls: outline(fmt.Sprintf(`
HandlerThread.run open w=0
	Looper.loop open w=0 %s
		MessageQueue.next #30 %s
			MessageQueue.nativePollOnce idle w=3
		Handler.dispatchMessage one
			<messages>
`, attributes, polls), slots{"messages": messages})}
}

func timerThread(name, class string, n int, uAh float64, body ...[]*node) thread {
	return thread{name: name, calls: outline(`
Timer$TimerImpl.run open
	<body>
	Object.wait #10
		Object.wait/nanos idle
`, slots{"body": {does(class, "run()V", n, uAh, body...)}})}
}

func collector(uAh float64) thread {
	return thread{name: "HeapTaskDaemon", calls: outline(fmt.Sprintf(`
Thread.run open
	Daemons$HeapTaskDaemon.run open
		VMRuntime.runHeapTasks #12 self=%g idle
`, uAh), nil)}
}

// binderThread answers calls from other processes: n calls of the system, which the framework
// passes on to the main thread, and calls of the app's own services.
func binderThread(name string, n int, uAh float64, services ...[]*node) thread {
	return thread{name: name, calls: outline(fmt.Sprintf(`
Binder.execTransact #%d =%g idle
	ApplicationThreadNative.onTransact w=2
		ActivityThread$ApplicationThread.scheduleTrimMemory
			Handler.sendMessage
				Handler.enqueueMessage w=2
<services>
`, n, uAh), slots{"services": join(services...)})}
}

func serves(class string, n int, uAh float64, body ...[]*node) []*node {
	return wrap("Binder.execTransact one idle\n\t<body>",
		does(class, "onTransact(ILandroid/os/Parcel;Landroid/os/Parcel;I)Z", n, uAh, body...))
}
