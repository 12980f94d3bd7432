package phone

import (
	"slices"
	"time"
)

// Apps returns runs that are similar to the case studies of eprof (Section 7). They use the same
// components for similar times and with similar pauses. They are not copies, because the paper does
// not state the timing.
func Apps() []App {
	return []App{browser(), cnn(), angryBirds(), chess(), nytimes(), mapquest(), facebook(), pup()}
}

func compute(routine string, d time.Duration) Step {
	return Step{Routine: routine, Do: Compute, For: d}
}
func sleep(d time.Duration) Step { return Step{Do: Sleep, For: d} }

// do returns the steps of one routine that happen at the same time.
func do(routine string, actions ...Action) []Step {
	steps := make([]Step, len(actions))
	for i, a := range actions {
		steps[i] = Step{Routine: routine, Do: a}
	}
	return steps
}

func send(routine string, kib int64) Step { return Step{Routine: routine, Do: Send, KiB: kib} }
func receive(routine string, wait time.Duration, kib int64) Step {
	return Step{Routine: routine, Do: Receive, For: wait, KiB: kib}
}

// times repeats steps n times.
func times(n int, steps ...Step) []Step { return slices.Repeat(steps, n) }

// app returns the threads of one app, together with a system service that runs for a small part of
// the time.
func app(name string, length time.Duration, threads ...Thread) App {
	for i := range threads {
		threads[i].Process = name
	}
	service := Thread{"system", "binder", times(int(length/(200*time.Millisecond)), compute("Binder.execTransact", 2*time.Millisecond), sleep(198*time.Millisecond))}
	return App{name, append(threads, service)}
}

const (
	tenth  = 100 * time.Millisecond
	second = time.Second
)

func browser() App {
	return app("browser", 30*second,
		Thread{Name: "main", Steps: slices.Concat([]Step{compute("ViewRoot.performTraversals", 1500*time.Millisecond)}, times(9, sleep(2*second), compute("ViewRoot.draw", 3*tenth)))},
		Thread{Name: "Webviewcore", Steps: slices.Concat([]Step{sleep(2 * second)}, do("JWebCoreJavaBridge.handleMessage", StartGPS), times(8, compute("WebCore.layout", 6*tenth), sleep(tenth)),
			do("JWebCoreJavaBridge.handleMessage", StopGPS), times(5, compute("WebCore.layout", 4*tenth), sleep(second)))},
		Thread{Name: "http0", Steps: slices.Concat([]Step{sleep(second)}, do("Connection.processRequests", Connect),
			times(2, send("Connection.processRequests", 1), receive("Connection.processRequests", 3*tenth, 60), compute("GZIPInputStream.read", 3*tenth), sleep(2*second)))},
		Thread{Name: "http1", Steps: slices.Concat([]Step{sleep(4 * second)}, do("Connection.processRequests", Connect), []Step{send("Connection.processRequests", 1), receive("Connection.processRequests", 3*tenth, 20), compute("GZIPInputStream.read", 2*tenth)})},
		Thread{Name: "IdleReaper", Steps: append([]Step{sleep(18 * second)}, do("IdleCache.IdleReaper.run", Close)...)},
		Thread{Name: "HeapWorker", Steps: append([]Step{sleep(27 * second)}, do("SocketImpl.finalize", Close)...)},
	)
}

func cnn() App {
	var threads []Thread
	for i, name := range []string{"http0", "http1", "http2", "http3"} {
		threads = append(threads, Thread{Name: name, Steps: slices.Concat([]Step{sleep(second + time.Duration(i)*tenth)}, do("Connection.processRequests", Connect),
			times(6-i, send("Connection.processRequests", 1), receive("Connection.processRequests", 2*tenth, 50), compute("GZIPInputStream.read", 2*tenth)))})
	}
	return app("cnn", 30*second, append(threads,
		Thread{Name: "main", Steps: times(10, compute("ViewRoot.draw", 4*tenth), sleep(2*second))},
		Thread{Name: "Webviewcore", Steps: slices.Concat([]Step{sleep(3 * second)}, times(10, compute("WebCore.layout", 5*tenth), sleep(second)))},
		Thread{Name: "IdleReaper", Steps: append([]Step{sleep(22 * second)}, do("IdleCache.IdleReaper.run", Close, Close)...)})...)
}

func angryBirds() App {
	return app("angrybirds", 28*second,
		Thread{Name: "GLThread", Steps: times(260, compute("EGLImpl.eglSwapBuffers", 10*time.Millisecond), compute("GameRenderer.onDrawFrame", 10*time.Millisecond), sleep(80*time.Millisecond))},
		Thread{Name: "Flurry", Steps: slices.Concat([]Step{sleep(2 * second)}, do("FlurryAgent.getLocation", StartGPS), []Step{sleep(6 * second)}, do("FlurryAgent.getLocation", StopGPS),
			do("FlurryAgent.send", Connect), []Step{send("FlurryAgent.send", 1), receive("FlurryAgent.send", 2*tenth, 1)})},
		Thread{Name: "HeapWorker", Steps: append([]Step{sleep(27 * second)}, do("PlainSocketImpl.finalize", Close)...)},
	)
}

func chess() App {
	return app("fchess", 33*second,
		Thread{Name: "main", Steps: times(60, compute("GridBaseView.onDraw", 50*time.Millisecond), sleep(450*time.Millisecond))},
		Thread{Name: "AdThread", Steps: slices.Concat([]Step{sleep(second)}, times(2, append(do("PingUrl.run", Connect), send("PingUrl.run", 1), receive("PingUrl.run", 3*tenth, 8), compute("AdWhirl.show", tenth), sleep(10*second))...))},
		Thread{Name: "AIMove1", Steps: []Step{sleep(8 * second), compute("Eng.AIMove", 800*time.Millisecond)}},
		Thread{Name: "AIMove2", Steps: []Step{sleep(20 * second), compute("Eng.AIMove", 800*time.Millisecond)}},
		Thread{Name: "IdleReaper", Steps: append([]Step{sleep(30 * second)}, do("IdleCache.IdleReaper.run", Close)...)},
	)
}

func nytimes() App {
	chunk := []Step{send("DownloadManager.get", 1), receive("DownloadManager.get", 2*tenth, 55), compute("JsonParser.parse", 4*tenth), compute("task.w.a", 5*tenth),
		{Routine: "SQLiteDatabase.insert", Do: Write, KiB: 60}, compute("SQLiteDatabase.insert", tenth)}
	return app("nytimes", 41*second,
		Thread{Name: "main", Steps: times(8, compute("ListView.layout", 2*tenth), sleep(second))},
		Thread{Name: "DownloadManager", Steps: slices.Concat([]Step{sleep(second)}, do("DownloadManager.get", Connect), times(18, chunk...))},
		Thread{Name: "Flurry", Steps: slices.Concat([]Step{sleep(3 * second)}, do("FlurryAgent.getLocation", StartGPS), []Step{sleep(5 * second)}, do("FlurryAgent.getLocation", StopGPS))},
		Thread{Name: "HeapWorker", Steps: append([]Step{sleep(40 * second)}, do("PlainSocketImpl.finalize", Close)...)},
	)
}

func mapquest() App {
	tile := append(do("HttpUtil.runRequest", Connect), send("HttpUtil.runRequest", 1), receive("HttpUtil.runRequest", 2*tenth, 40), compute("JsonParser.parse", 3*tenth), sleep(5*second))
	return app("mapquest", 29*second,
		Thread{Name: "SkyHook", Steps: slices.Concat([]Step{sleep(second)}, do("SkyHook.run", StartGPS), times(10, compute("SkyHook.locate", 2*tenth), sleep(1800*time.Millisecond)), do("SkyHook.run", StopGPS))},
		Thread{Name: "tiles", Steps: slices.Concat([]Step{sleep(2 * second)}, times(3, tile...))},
		Thread{Name: "main", Steps: times(15, compute("MapView.onDraw", 3*tenth), sleep(1500*time.Millisecond))},
		Thread{Name: "search", Steps: slices.Concat([]Step{sleep(24 * second)}, do("Search.gas", Connect), []Step{send("Search.gas", 1), receive("Search.gas", 3*tenth, 5)})},
	)
}

func facebook() App {
	return app("facebook", 30*second,
		Thread{Name: "main", Steps: slices.Concat([]Step{compute("HomeActivity.onCreate", 2*second)}, times(12, compute("ListView.layout", 3*tenth), sleep(1500*time.Millisecond)))},
		Thread{Name: "service", Steps: slices.Concat(do("AppSession.acquireWakeLock", Acquire), do("FacebookService.sync", Connect),
			times(3, send("FacebookService.sync", 1), receive("FacebookService.sync", 3*tenth, 40), compute("JsonParser.parse", 5*tenth), sleep(3*second)),
			[]Step{sleep(14 * second)}, do("AppSession.exit", Release))},
	)
}

func pup() App {
	photo := []Step{{Routine: "Pup.readPhoto", Do: Read, KiB: 400}, compute("Pup.hash", 2500*time.Millisecond), send("Pup.upload", 100), receive("Pup.upload", 15*tenth, 1)}
	return app("pup", 30*second,
		Thread{Name: "main", Steps: slices.Concat(do("Pup.upload", Connect), times(3, photo...))},
	)
}
