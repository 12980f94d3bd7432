package main

import "github.com/diffprof/diffprof/tools/artwrite"

// kohls is the pair Kohl's and letgo (Section 5.3.1, Table 6). For each entry that changes, Kohl's
// writes its whole catalog and all campaigns to the card.
func kohls() app {
	catalog := chain("rx.internal.operators", 39, outline(`
~.persistence.CatalogCache.update(L~/model/Catalog;)V
	~.persistence.FileStore.load(Ljava/lang/String;)Ljava/lang/Object; #6 w=2
		@openFile #6
		@readObject #6 =12.82
	~.persistence.FileStore.dump(Ljava/lang/String;Ljava/lang/Object;)V #6 w=2
		@writeObject #6 =10.53
		@writeFile #12 =4.1
	~.persistence.CatalogCache.merge(Ljava/util/List;)V #6 w=6
		@listAddAll #6
		@treePut #40 =5.2
`, nil))
	adapter := outline(`
~.gson.ReflectiveAdapter.create(Ljava/lang/Class;)V #60 w=3
	@anonymousClass #480 =9.85
	~.gson.ReflectiveAdapter.bind(Ljava/lang/Object;)V #60 w=3
		Method.invoke #60 =6.3
			~.model.Product.setPrice(F)V w=4
		@declaredFields #40
		@fieldSet #120
`, nil)
	binding := outline(`
~.image.Binding.apply(Ljava/lang/Object;)V w=2
	Method.invoke #30 =5.6
		~.image.Placeholder.setTint(I)V w=4
`, nil)
	tracking := outline(`
~.analytics.Omniture.track(Ljava/util/Map;)V #24 w=3
	@jsonText #24 =8.54
	@jsonPut #60
`, nil)
	beacon := outline(`
~.network.Beacon$Event.fire()V #8
	Method.invoke #24 =4.95
		~.network.Beacon.onEvent(Ljava/lang/Object;)V w=4
`, nil)
	callbacks := join(
		click("ui.HomeActivity$2", 8, 13, chores("startActivity#4 packageInfo#4 activeNetwork#4 setText#24=3.9 setVisibility#16 editText#8 hideKeyboard#4 logDebug#16 elapsedRealtime#8 setBackground#6")),
		posted("ui.CarouselView$1", 18, 21, []*node{drawTask(12.16)}, chores("setTextColor#12 requestLayout#10 removeCallbacks#18 setImageDrawable#18")),
		frame(
			traversal("=15", 14, 12, join(
				onDraw("ui.PriceTag", 36, 3, chores("drawRoundRect measureText")),
			)),
			onFrame("ui.Parallax", 20, 5, chores("scrollOffset velocity setTranslation stringChars#8")),
		),
	)
	messages := join(
		launch("ui.HomeActivity", 3, 17, chores("superCreate setContentView findViewById#40 sharedPreferences readFlag#8 secureSetting#3 resourceString#16 inflate#8 loadAnimation#2")),
		result("ui.ProductLoader", 20, 20, chores("notifyDataSet setTag#20 listItem#20 relativeTime#12 formatNumber#40=3.4 stringChars#10")),
		handles("ui.BannerHandler", 16, 13, tracking, chores("uriParse#16")),
		wrap("Handler.handleCallback one\n\t<body>", receive("push.PushReceiver", 4, 7, chores("intentAction#4 alarm#2 buildNotification#4 notify#4"))[0]),
	)
	return app{
		pkg: "com.kohls.mcommerce.opal", total: 329.71, seconds: 36, pid: 23109,
		threads: []thread{
			mainThread("=132.89", "#120 =8", callbacks, messages),
			pool("pool-2-thread-3", posted("persistence.CatalogSync", 6, 46, catalog, chores("storageState#6 volumeList#6 fileLength#6 deleteFile#6 stringChars#10"))),
			subclass("ServiceDispatcher", "network.ServiceDispatcher", 60, 54, adapter, chores("parseJson#20=4.8 jsonString#120=4.4 httpsCode#20 https#20=4.6 parseDate#30 newString#60")),
			asyncTask("AsyncTask #1", "image.ImageTask", 30, 32, chain("dagger.internal", 29, []*node{decodeBytes(30, 11.49)}), binding, chores("digest#30=4.9 cacheGet fileExists readBuffer#40=4.7 crc#30 cachePut#30")),
			{name: "JDWP", calls: outline("DdmServer.dispatch #40\n\tDdmHandleThread.handleChunk\n\t\tDdmHandleThread.handleTHEN\n\t\t\tDdmVmInternal.threadNotify idle", nil)},
			handlerThread("omniture", "=1.76", "", handles("analytics.Queue", 8, 1.5, chores("insertRow#8 contentValues#8"))),
			collector(26.11),
			binderThread("Binder_3", 24, 4),
			timerThread("Timer-0", "network.Beacon", 8, 12, beacon, chores("screenOn rxBytes format wifiInfo stringChars#12")),
		},
		exclusive: map[string]float64{
			"VMRuntime.runHeapTasks": 26.11, "BinderProxy.transactNative": 11.9, "BitmapFactory.nativeDecodeByteArray": 10.34,
			"DdmVmInternal.threadNotify": 10.02, "StringFactory.newStringFromChars": 7.96,
		},
		form: artwrite.Form{Version: 3},
		gzip: true,
	}
}

// letgo is letgo. It uses 199.5 µAh in both pairs, because 7.14 and 5.01 µAh are 3.6 and 2.5 % of
// that.
func letgo(camera bool) app {
	callbacks := join(
		itemClick("products.ProductGrid", 8, 9, chores("startActivity#4 setText#20 setVisibility#16 editText#8 logDebug#12 elapsedRealtime#8 toast#2 showToast#2")),
		fragmentView("main.MainFragment", 2, 16, chores("inflate#5 setTag#10 sharedPreferences readFlag#6 resourceString#10 dimension#8")),
		posted("ui.PagerAdapter$2", 16, 16, []*node{drawTask(8.29)}, chores("setTextColor#10 invalidate#10 setImageBitmap#16 setAlpha#16")),
		frame(
			traversal("=13", 12, 10, join(
				onDraw("ui.ChatBubble", 24, 3, chores("drawBitmap measureText")),
			)),
		),
	)
	messages := join(
		wrap("Handler.handleCallback one\n\t<body>", posted("products.SearchResult", 14, 9, chores("notifyDataSet setTag#14 listItem#14 relativeTime#10"))[0]),
		service("chat.ChatService", 6, 7, chores("intentExtra#8 startService#2 wakeLock bundleString#6")),
	)
	a := app{
		pkg: "com.abtnprojects.ambatana", total: 199.5, seconds: 36, pid: 18740,
		threads: []thread{
			mainThread("=84", "#100 =8", callbacks, messages),
			ownThread("Thread-77", "api.Upload", 9, chores("http#6 readLine#20 parseJson#6 jsonString#20 uuid#3 anonymousClass#8=0.30")),
			pool("Glide-1", posted("images.Fetch", 24, 30, chores("https#10 jsonInt#40 cachePut#24 digest#24 scaleBitmap#12 readBuffer#20"))),
			asyncTask("AsyncTask #1", "images.Thumbnail", 12, 8, []*node{decodeBytes(12, 0.30)}, chores("cacheGet fileExists readBuffer#12 writeFile#12")),
			handlerThread("geo", "=9", "", handles("location.Tracker", 6, 8, []*node{jsonText(0.30)}, chores("lastLocation geocode#2 uriParse#6"))),
			collector(16),
			binderThread("Binder_2", 20, 3, serves("sync.ISync$Stub", 10, 6, chores("concurrentGet insertRow beginTransaction endTransaction"))),
			pool("RxComputation-1", posted("rx.Worker", 40, 22, chores("concurrentPut#40 sort#10 format#30 parseDate#20 split#40"))),
		},
		form: artwrite.Form{Version: 3},
	}
	if camera {
		a.gzip = true
		a.threads[1] = ownThread("Thread-77", "camera.PhotoWriter", 9+7.14+5.01, outline(`
~.camera.PhotoWriter.shrink(Ljava/io/File;)Landroid/graphics/Bitmap;
	@decodeStream #24 =5.01
~.camera.PhotoWriter.save(Landroid/graphics/Bitmap;)V
	@compress #24 =7.14
`, nil), chores("http#6 readLine#20 parseJson#6 jsonString#20 uuid#3 anonymousClass#8=0.30"))
		a.threads[2] = pool("Glide-1", posted("images.Fetch", 24, 30-7.14-5.01, chores("https#10 jsonInt#40 cachePut#24 digest#24 scaleBitmap#12 readBuffer#20")))
	}
	return a
}

// wish is the pair Wish and letgo (Section 5.3.2, Figure 8(a)). Both decode and encode photos. Wish
// encodes full-quality PNG on another thread, below a longer path of its own calls.
func wish() app {
	photos := outline(`
~.api.image.ImageFetcher$Job.call()Ljava/lang/Object; w=3
	~.api.image.ImageFetcher.fetch(Ljava/lang/String;)Landroid/graphics/Bitmap; #30 w=6
		~.api.http.HttpStack.open(Ljava/lang/String;)Ljava/io/InputStream; w=4
			@https #30
			@gunzip #30
		~.api.image.Decoder.decode(Ljava/io/InputStream;)Landroid/graphics/Bitmap; w=3
			@decodeStream #30 =126.32
	~.cache.DiskCache.put(Ljava/lang/String;Landroid/graphics/Bitmap;)V #30 w=6
		~.cache.DiskCache$Entry.write(Landroid/graphics/Bitmap;)V w=2
			@compress #30 =100.94
			@writeFile #60
`, nil)
	callbacks := join(
		click("activity.browse.BrowseActivity$5", 9, 24, chores("startActivity#4 setText#40 setVisibility#20 editText#9 hideKeyboard#5 logDebug#30 setEnabled#9 animatorOf#6 animatorStart#6")),
		posted("ui.image.NetworkImageView$1", 60, 30, chores("setTextColor#40 requestLayout#30 setImageDrawable#60 setAlpha#40 startAnimation#20")),
		frame(
			traversal("=66", 30, 16, join(
				onDraw("ui.text.ThemedTextView", 60, 18, chores("drawBitmap measureText#60 viewDraw#20 canvasSave")),
			)),
			onFrame("ui.timer.Countdown", 40, 9, chores("elapsedTime uptime postInvalidate")),
		),
	)
	messages := join(
		launch("activity.browse.BrowseActivity", 3, 32, chores("superCreate setContentView findViewById#60 sharedPreferences readFlag#16 secureSetting#3 resourceString#20 inflate#12 accounts#2")),
		result("service.ProductFeed", 24, 21, chores("notifyDataSet setTag#24 listItem#24 formatNumber#50 removeViews#12 addView#24")),
		service("service.GcmService", 8, 10, chores("intentExtra#12 buildNotification#4 notify#4 alarm#2")),
	)
	return app{
		pkg: "com.contextlogic.wish", total: 634.8, seconds: 40, pid: 15522,
		threads: []thread{
			mainThread("=210", "#160 =14", callbacks, messages),
			pool("pool-4-thread-2", posted("api.image.ImageFetcher$1", 30, 291, photos, chores("digest#30 cachePut#30 currentTime#60"))),
			asyncTask("AsyncTask #4", "api.service.ApiTask", 24, 62, chores("parseJson#24 jsonString#160 jsonInt#120 httpsCode#24 cookie#24 urlEncode#60 readLine#90")),
			handlerThread("data", "=21", "", handles("data.StoreHandler", 16, 19.6, chores("insertRow#30 contentValues#60 rawQuery#20 fillCursor#20"))),
			collector(22),
			binderThread("Binder_1", 40, 7),
			timerThread("Timer-2", "analytics.Flush", 10, 14, chores("rxBytes nanoTime base64 getBytes handlerPost")),
		},
		form: artwrite.Form{Version: 3},
		gzip: true,
	}
}

func drawTask(uAh float64) *node {
	n := fragment("viewDraw")
	n.inclusive = uAh
	return n
}

func jsonText(uAh float64) *node {
	n := fragment("jsonText")
	n.inclusive = uAh
	return n
}

func decodeBytes(n int, uAh float64) *node {
	top := fragment("decodeBytes")
	top.total, top.inclusive = n, uAh
	return top
}
