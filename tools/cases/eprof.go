package main

import (
	"fmt"
	"time"
)

// The runs of eprof's case studies with their energies, from Sections 4.1, 7.2, 7.3 and 8.3 of the
// paper. Numbers are µAh on the phone passion. They are chosen so that the shares equal the paper's
// as far as possible. test/paper/README.md lists the deviations.

const eprofProfile = `<?xml version="1.0" encoding="utf-8"?>
<!-- Made for the generated traces in this folder by tools/cases: the current of a
     passion's processor at its top step. -->
<device name="Android">
    <array name="cpu.speeds">
        <value>998400</value>
    </array>
    <array name="cpu.active">
        <value>168.4</value>
    </array>
</device>
`

// Calls that several scripts make.
const (
	loop      = "android.os.Looper.loop()V"
	threadRun = "java.lang.Thread.run()V"
	connect   = "java.net.Socket.connect(Ljava/net/SocketAddress;I)V"
	write     = "java.net.SocketOutputStream.write([BII)V"
	closing   = "java.net.Socket.close()V"
	draw      = "android.view.ViewRoot.draw(Z)V"
)

// uAhPacket is the charge for sending a packet at 300 mA.
const uAhPacket = 300.0 * float64(packetTime) / float64(time.Second) / 3.6

func eprofScripts() []*script {
	return []*script{
		upload("upload", 0), upload("upload-later", 5*time.Second),
		google(), cnn(), angryBirds(), chess(), nyTimes(), mapQuest(), facebook(), pup(), pslide(),
	}
}

// tail returns how long a radio tail lasts that uses the given charge.
func tail(uAh float64) time.Duration { return lasts(uAh, tailMA) }

// upload connects, and some time later sends 10 KiB five times (Section 4.1). These are 35 packets.
// To the model, each packet is one call.
func upload(name string, later time.Duration) *script {
	s := &script{name: name, length: 16 * time.Second, radio: 100 * time.Millisecond}
	a := s.thread("main", "com.example.upload.Main.main([Ljava/lang/String;)V")
	s.connect(a, "com.example.upload.Main.netconnect()V", connect)
	s.radio += later
	s.send(a, 35, tailTime, "com.example.upload.Main.netsend()V", write)
	return s
}

const (
	pkgHTTP  = "android.net.http.Connection.processRequests(Landroid/net/http/Request;)V"
	reaper   = "com.android.okhttp.IdleCache$IdleReaper.run()V"
	finalize = "org.apache.http.impl.conn.ProxySocket.finalize()V"
	bridge   = "android.webkit.JWebCoreJavaBridge.handleMessage(Landroid/os/Message;)V"
)

// google is a Google search in the browser. It uses 2000 µAh (Section 7.2.1).
func google() *script {
	s := &script{name: "browser", length: 30 * time.Second, radio: 2 * time.Second}
	main := s.thread("main", loop)
	main.compute(100, draw)
	main.compute(100, "android.app.ActivityThread.performLaunchActivity()V")
	web := s.thread("WebViewCoreThread", loop)
	web.locate(3*time.Second, 220, bridge)
	web.compute(40, bridge)
	web.compute(120, "android.webkit.BrowserFrame.nativeLoadUrl(Ljava/lang/String;)V")
	http0, http1 := s.thread("http0", threadRun), s.thread("http1", threadRun)
	idle, heap := s.thread("IdleReaper", threadRun), s.thread("HeapWorker", threadRun)
	s.send(http0, 30, tail(134), pkgHTTP, write)
	s.send(http1, 10, tail(10), pkgHTTP, write)
	s.send(idle, 1, tail(146.7), reaper, closing)
	s.send(heap, 1, tailTime, finalize, closing)
	http0.compute(216, pkgHTTP)
	http0.compute(100, pkgHTTP, "java.util.zip.GZIPInputStream.read([BII)I")
	http1.compute(113, pkgHTTP)
	http1.compute(60.6, "android.net.http.RequestQueue.add()V")
	idle.compute(51.6, reaper)
	heap.compute(78, finalize)
	for i := range 4 {
		s.thread(fmt.Sprint("Binder Thread #", i+1), threadRun).compute(20, "android.os.Binder.execTransact(IIII)Z")
	}
	return s
}

// cnn reads a page of CNN in the browser. It uses 2400 µAh (Section 7.2.1).
func cnn() *script {
	s := &script{name: "cnn", length: 30 * time.Second, radio: time.Second}
	main := s.thread("main", loop)
	main.compute(284, draw)
	s.thread("WebViewCoreThread", loop).compute(240, bridge)
	idle, heap := s.thread("IdleReaper", threadRun), s.thread("HeapWorker", threadRun)
	// Four threads download one after the other.
	shares := []float64{624, 216, 264, 192}
	packets := []int{252, 70, 90, 60}
	for i, uAh := range shares {
		a := s.thread(fmt.Sprint("http", i), threadRun)
		s.send(a, packets[i], tail(10), pkgHTTP, write)
		uAh -= 10 + float64(packets[i])*uAhPacket
		if i == 0 {
			uAh -= 60.4
		}
		a.compute(uAh, pkgHTTP)
	}
	s.send(idle, 1, tail(150), reaper, closing)
	s.send(idle, 1, tail(195), reaper, closing)
	idle.compute(11, reaper)
	s.send(heap, 1, tailTime, finalize, closing)
	heap.compute(18, finalize)
	return s
}

// angryBirds is a game with Flurry (Section 7.2.2). It uses 2110 µAh.
func angryBirds() *script {
	s := &script{name: "angrybirds", length: 40 * time.Second, radio: time.Second}
	s.thread("main", loop)
	gl := s.thread("GLThread 12", threadRun)
	gl.compute(189, "com.google.android.gles_jni.EGLImpl.eglSwapBuffers()Z")
	gl.compute(168, "com.rovio.ka3d.MyRenderer.onDrawFrame()V")
	gl.compute(21, "com.rovio.ka3d.MyRenderer.onDrawFrame()V", "com.flurry.android.ads.AdBanner.draw()V")
	flurry := s.thread("FlurryAgent", threadRun)
	const agent = "com.flurry.android.FlurryAgent.a()V"
	flurry.locate(500*time.Millisecond, 315, agent)
	flurry.compute(15, agent, "com.flurry.android.FlurryAgent.collect()V")
	// The Flurry thread uploads its data, and later downloads advertisements. Another thread opens
	// the connections, because the ramps are not part of this thread's share.
	opener := s.thread("AsyncTask #1", threadRun)
	const open = "android.os.AsyncTask.doInBackground([Ljava/lang/Object;)Ljava/lang/Object;"
	s.connect(opener, open, connect)
	s.send(flurry, 1, tailTime, agent, write)
	s.rest()
	s.connect(opener, open, connect)
	s.send(flurry, 1, tail(104), agent, write)
	s.send(flurry, 1, tailTime, agent, write)
	s.rest()
	heap := s.thread("HeapWorker", threadRun)
	s.send(heap, 1, tail(194), finalize, closing)
	s.send(heap, 1, tail(194), finalize, closing)
	s.send(heap, 1, tailTime, finalize, closing)
	return s
}

// chess is Free Chess with AdWhirl (Section 7.2.3). It uses 1450 µAh.
func chess() *script {
	s := &script{name: "fchess", length: 33 * time.Second, radio: time.Second}
	main := s.thread("main", loop)
	main.compute(145, draw)
	main.compute(145, "uk.co.aifactory.fireballUI.GridBaseView.onDraw(Landroid/graphics/Canvas;)V")
	for i := range 2 {
		s.thread(fmt.Sprint("AIMove", i+1), threadRun).compute(72.5, "uk.co.aifactory.chessfree.ChessGridView.Eng.AIMove()V")
	}
	s.thread("Binder Thread #1", threadRun).compute(29, "android.view.MotionEvent.obtain()V")
	ads, idle := s.thread("AdThread", threadRun), s.thread("IdleReaper", threadRun)
	const ping = "com.adwhirl.AdWhirlLayout$PingUrl.run()V"
	for range 3 {
		s.send(ads, 2, tail(148.8), ping, write)
	}
	s.send(ads, 2, tailTime, ping, write)
	s.rest()
	s.send(idle, 1, tailTime, reaper, closing)
	ads.compute(5, ping)
	return s
}

// nyTimes downloads and stores news (Section 7.2.4). It uses 1333 µAh.
func nyTimes() *script {
	s := &script{name: "nytimes", length: 41 * time.Second, radio: 500 * time.Millisecond}
	s.thread("main", loop).compute(69, draw)
	down := s.thread("DownloadManager", threadRun)
	// An article is fetched, parsed and stored eighteen times.
	const base = "com.nytimes.android.task.DownloadManager.run()V"
	for range 18 {
		s.send(down, 5, tail(10.4), base, "com.nytimes.android.task.w.a()V", write)
	}
	down.compute(58, base)
	down.compute(320, base, "org.codehaus.jackson.map.ObjectMapper.readValue()Ljava/lang/Object;")
	down.compute(93, base, "com.nytimes.android.db.Store.insert()V")
	flurry := s.thread("FlurryAgent", threadRun)
	const agent = "com.flurry.android.FlurryAgent.a()V"
	flurry.locate(2*time.Second, 100, agent)
	flurry.compute(13, agent)
	heap := s.thread("HeapWorker", threadRun)
	s.send(heap, 1, tailTime, finalize, closing)
	return s
}

// mapQuest locates the device, fetches a map and searches for petrol. It uses 3600 µAh (Section
// 7.2.5).
func mapQuest() *script {
	s := &script{name: "mapquest", length: 43 * time.Second, radio: 200 * time.Millisecond}
	main := s.thread("main", loop)
	const onDraw = "com.mapquest.android.maps.MapView.onDraw(Landroid/graphics/Canvas;)V"
	main.compute(500, onDraw)
	main.compute(148, "org.codehaus.jackson.map.ObjectMapper.readValue()Ljava/lang/Object;")
	const sky = "com.skyhookwireless.wps.SkyHook.run()V"
	shw := []*actor{s.thread("SHW 1", threadRun), s.thread("SHW 2", threadRun)}
	shw[0].locate(300*time.Millisecond, 460, sky)
	shw[1].locate(13200*time.Millisecond, 458, sky)
	const http = "com.mapquest.android.util.HttpUtil.runRequest()V"
	tiles := s.thread("TileDownloader", threadRun)
	for range 4 {
		s.send(tiles, 12, tail(121.8), http, write)
	}
	s.send(tiles, 12, tailTime, http, write)
	s.rest()
	for range 2 {
		s.send(tiles, 12, tail(121.8), http, write)
	}
	tiles.compute(216, "com.mapquest.android.maps.TileFactory.decode()V")
	search := s.thread("Search", threadRun)
	const gas = "com.mapquest.android.search.Search.gas()V"
	s.send(search, 4, tail(144), gas, http, write)
	search.compute(137, gas)
	s.send(tiles, 1, tailTime, http, write)
	return s
}

// facebook acquires a wakelock and never releases it. It uses 1200 µAh (Section 7.3).
func facebook() *script {
	s := &script{name: "facebook", length: 31 * time.Second, radio: time.Second}
	main := s.thread("main", loop)
	const start = "com.facebook.katana.service.FacebookService.onStart(Landroid/content/Intent;I)V"
	const lock = "com.facebook.katana.binding.AppSession.acquireWakeLock()V"
	main.do(900*time.Millisecond, time.Millisecond, start, lock, "android.os.PowerManager$WakeLock.acquire()V")
	main.compute(84, start)
	main.compute(330, draw)
	home := s.thread("HomeActivity", threadRun)
	s.send(home, 60, tail(150), pkgHTTP, write)
	s.send(home, 1, tailTime, pkgHTTP, closing)
	home.compute(65, pkgHTTP)
	return s
}

// pup uploads three photos, each after reading and hashing it (Section 8.3.1).
func pup() *script {
	s := &script{name: "pup", length: 30 * time.Second, radio: 3 * time.Second}
	main := s.thread("main", loop)
	const send = "com.example.pup.Uploader.sendPhoto(Ljava/io/File;)V"
	s.send(main, 127, 4500*time.Millisecond, send, write)
	s.send(main, 127, 4500*time.Millisecond, send, write)
	s.send(main, 127, tailTime, send, write)
	main.compute(508, "com.example.pup.Uploader.hash(Ljava/io/File;)[B")
	return s
}

// pslide returns a script of the photo viewer on the phone tytn2 (Section 8.3.2). It shows three
// photos, and reads each of them shortly before.
func pslide() *script {
	s := &script{name: "pslide", length: 18 * time.Second}
	main := s.thread("main", "com.example.pslide.Main.main()V")
	for i := range 3 {
		at := time.Duration(1+5*i) * time.Second
		for j := range 20 {
			main.do(at+time.Duration(j)*6*time.Millisecond, 6*time.Millisecond-50*time.Microsecond,
				"com.example.pslide.Main.readPic()V", "java.io.FileInputStream.read([BII)I")
		}
	}
	main.compute(17, "com.example.pslide.Main.show()V")
	return s
}
