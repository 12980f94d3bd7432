package main

import (
	"github.com/diffprof/diffprof/tools/android"
	"github.com/diffprof/diffprof/tools/artwrite"
)

// hangouts is the pair Hangouts and WhatsApp (Section 5.3.1, Table 5). When it sends messages,
// Hangouts queries its content provider 116 times. Most of the fields have not changed.
func hangouts() app {
	send := chain("dzk", 10, outline(`
~.realtimechat.SendMessageTask.execute()V w=3
	~.database.ConversationStore.loadParticipants(Ljava/lang/String;)Ljava/util/List; #9 w=3
		@query #81 =31.2
		@moveToNext #81 =1.6
		@cursorString #240 =2.6
	~.database.ConversationStore.loadAuthor(Ljava/lang/String;)V #9 w=3
		dya.a(Ljava/lang/String;)Ldxm;
			dxm.c()V w=2
				@query #35 =13.1
				@cursorString #70 =1.2
	~.realtimechat.proto.Encoder.write([B)V #18 w=6
		@base64
		@gunzip #4
`, nil))
	sync := outline(`
~.sync.RequestWriter.flush()V
	~.sync.PayloadStore.save(Ljava/io/Serializable;)V #14 w=3
		@writeObject #14 =12.3
	~.sync.PayloadStore.send(Ljava/lang/String;)V #14 w=3
		@https #12 =5.4
		@readLine #60 =4.1
		@parseJson #12 =3.2
		@getBytes #12
`, nil)
	telephony := outline(`
~.telephony.CarrierInfo.refresh(Landroid/content/Context;)V w=2
	~.telephony.CarrierInfo.simReady()Z w=2
		@simState #64 =24.9
`, nil)
	render := outline(`
~.views.MessageText.bind(Ljava/lang/String;)V w=4
	@html #30 =6.95
	@setTextSpanned #24 =3.1
`, nil)
	cache := outline(`
~.content.CacheProvider.lookup(Ljava/lang/String;)Landroid/database/Cursor; w=0.1
	@buildQuery #58 =17.2
	@moveToNext #50
`, nil)
	reflection := outline(`
~.util.Reflect.call(Ljava/lang/Object;)Ljava/lang/Object;
	Method.invoke #30 =1.5
	@fieldGet #12
`, nil)
	callbacks := join(
		click("phone.ConversationActivity$4", 9, 21, chores("startActivity#3=3.1 setText#20=4.6 setVisibility#16=2.2 editText#9 hideKeyboard#4 logDebug#16=2.4 sendBroadcast#3=2.1 elapsedRealtime#12 setEnabled#8 sound#4")),
		receive("service.NetworkReceiver", 6, 6, chores("intentAction activeNetwork wifiInfo#3 intentExtra systemService")),
		posted("views.TypingIndicator$1", 24, 19, chores("setAlpha#24 postInvalidate#24 propertyAnimator#10 exception#4"), render),
		frame(
			traversal("=18.5", 26, 9, join(
				onDraw("views.AvatarView", 44, 6.2, chores("drawBitmap drawRoundRect canvasSave")),
				onDraw("views.MessageBubble", 30, 5.6, chores("pathLine#60 measureText drawArc#20 viewDraw#12")),
			)),
			onFrame("views.ScrollDriver", 30, 7, chores("scrollOffset uptime postInvalidate#20 setTranslation")),
		),
	)
	messages := join(
		launch("phone.ConversationActivity", 3, 22, chores("superCreate setContentView=4.6 findViewById#36 sharedPreferences readFlag#9 secureSetting#4 resourceString#14 loadAnimation#2 inflate#6=4.9 dimension#12")),
		service("service.GcmIntentService", 8, 10, chores("intentExtra#12 startService#3 wakeLock bundleString#8 wakeRelease")),
		result("phone.PhotoLoader$1", 16, 9, chores("setImageBitmap cachePut#16 setTag#16 setVisibility")),
		handles("realtimechat.RealTimeChatService$1", 12, 15, chores("phoneNumber#12 buildNotification#6=3.6 notify#6 alarm#3 uriParse#12 exception#5")),
		handles("phone.ComposeHandler", 40, 24, chores("setTextColor#30=3.4 requestLayout#20=3.8 removeCallbacks#40=3.3 dimension#30 relativeTime#22=4.2 appendSpan#30=2.9 setSpan#20 setBackground#12=2.8")),
	)
	return app{
		pkg: "com.google.android.talk", total: 436.8, seconds: 42, pid: 7614,
		threads: []thread{
			mainThread("=173.9", "#150 =11.2", callbacks, messages),
			pool("pool-3-thread-1",
				posted("realtimechat.RealTimeChatOperation", 9, 86, send, chores("uriBuild#116=3.4 logInfo#60=4.9 currentTime#60=1.2 mapGet#240=2.7 exception#5")),
				posted("sync.SyncOperation", 14, 44, sync, reflection, chores("uuid#14 format#28=3.2 mapPut#60=4.1")),
			).drains(134.5),
			asyncTask("AsyncTask #1", "phone.AvatarTask", 16, 30, chores("decodeBytes=6.2 scaleBitmap=5.9 cacheGet fileExists readBuffer#30=5.1 digest=5.4")).drains(30.7),
			handlerThread("babel-db", "=46.7", "=2.1", join(
				handles("telephony.CarrierHandler", 8, 26.6, telephony, chores("operatorName#8")),
				handles("content.CacheHandler", 20, 18, cache),
			)),
			collector(11.6),
			binderThread("Binder_1", 30, 4, serves("service.IChatService$Stub", 24, 19, chores("contentValues#60=2.2 insertRow#24=5.6 beginTransaction=2.7 endTransaction=3.9 concurrentGet#24 enumValue#24"))),
			timerThread("Timer-0", "util.Heartbeat", 10, 14, chores("screenOn nanoTime rxBytes handlerPost cipher mac#6")),
		},
		exclusive: map[string]float64{
			"BinderProxy.transactNative": 50.8, "VMRuntime.runHeapTasks": 11.6, "MessageQueue.nativePollOnce": 9.86,
			"Throwable.nativeFillInStackTrace": 9.39, "Trace.nativeTraceBegin": 7.81,
		},
		form: artwrite.Form{Version: 3, Streaming: true},
		gzip: true,
	}
}

// whatsapp is WhatsApp, which the paper compares with two apps. Its energy is 84.5 µAh in both
// comparisons. This follows from Table 4, where 24.0 µAh are 28.4 %. If patched is true, the
// recorder noted which call requested which traversal.
func whatsapp(patched bool) app {
	dispatch := ""
	ask := chores("requestLayout#12")
	if patched {
		dispatch = " dispatch=traversal"
		enqueue(ask, "traversal")
	}
	callbacks := join(
		itemClick("Conversation$12", 8, 3.6, chores("startActivity#2 setText#16 setVisibility#12 editText#8 sound#8 logInfo#10 elapsedRealtime#8")),
		posted("ConversationRow$3", 24, 6.6, ask, chores("setTextColor#20 relativeTime#14 removeCallbacks#24 dimension#10 setSpan#12 html#4=0.46")),
		frame(
			traversal("=24.0"+dispatch, 6, 76, nil),
			onFrame("ListScroller", 16, 1.4, chores("scrollOffset uptime")),
		),
	)
	messages := join(
		launch("Conversation", 2, 5.2, chores("superCreate setContentView findViewById#18 readPreference#4 enumValue#2 resourceString#6 inflate#3")),
		service("messaging.MessageService", 6, 2.2, chores("intentExtra#8 wakeLock wakeRelease")),
		handles("messaging.b", 10, 3.0, chores("buildNotification#3 notify#3 uriParse#6")),
	)
	store := outline(`
a.a.a.b(Ljava/lang/String;)V
	~.data.MessageStore.a(Ljava/lang/String;)V #18 w=2
		@rawQuery #18
		@fillCursor #18
		@moveToNext #30
		@cursorString #50
	~.data.StateStore.save()V #6
		@writeObject #6 =1.1
	~.protocol.Noise.a([B)[B #10 w=12
		@mac #10
`, nil)
	a := app{
		pkg: "com.whatsapp", total: 84.5, seconds: 42, pid: 9120,
		threads: []thread{
			midRun("Main", "#90 =2.4", callbacks, messages),
			ownThread("Thread-231", "messaging.Writer", 20.4, store, chores("uriBuild#10 currentTime#20 getBytes#10 format#8")),
			pool("WhatsApp Worker #1", posted("gallerypicker.ImageLoader", 8, 6.2, chores("decodeBytes cacheGet cachePut fileExists readBuffer#12"))),
			handlerThread("Writer", "=4.2", "", handles("messaging.c", 12, 3.2, chores("contentValues#12 insertRow#12 beginTransaction endTransaction"))),
			collector(3),
			binderThread("Binder_2", 8, 0.8),
		},
		form: artwrite.Form{Version: 3},
		gzip: true,
	}
	if patched {
		a.form = artwrite.Form{Version: 3, Streaming: true}
	}
	return a
}

// enqueue marks the innermost postCallback in nodes as the start of the hand-over called name.
func enqueue(nodes []*node, name string) {
	for _, n := range nodes {
		if n.label == android.Labels()["Choreographer.postCallbackDelayedInternal"] {
			n.enqueue = name
		}
		enqueue(n.kids, name)
	}
}

// textnow is the pair TextNow and WhatsApp (Section 5.3.2). The window of TextNow has 226 views,
// and 172 of them are never visible. WhatsApp has 76 views.
func textnow() app {
	ask := chores("requestLayout#30")
	enqueue(ask, "traversal")
	callbacks := join(
		click("activities.MainActivity", 7, 18, chores("startActivity#3 setText#30 setVisibility#24 editText#7 logDebug#40 elapsedRealtime#20 setBackground#14 toast#2 showToast#2")),
		receive("receivers.ConnectionReceiver", 6, 8, chores("intentAction activeNetwork wifiInfo intentExtra")),
		posted("widget.AdRefresh$1", 12, 24, chores("loadUrl#4 setImageResource#12 removeViews#8 addView#12 cookie#8")),
		frame(
			traversal("=230.46 dispatch=traversal", 8, 226, nil),
			onFrame("widget.ScrollDriver", 20, 6, chores("scrollOffset velocity setTranslation")),
		),
	)
	messages := join(
		launch("activities.MainActivity", 3, 38, chores("superCreate setContentView findViewById#60 sharedPreferences readFlag#12 secureSetting#6 accounts#3 packageInfo#3 resourceString#30 inflate#12 dimension#20 systemService#12")),
		service("service.SyncService", 8, 14, chores("intentExtra#16 startService#5 bundleString#8 schedule#4")),
		handles("messaging.MessageHandler", 30, 27, ask, chores("setTextColor#20 relativeTime#30 buildNotification#6 notify#6 phoneNumber#30 setSpan#20")),
		result("tasks.ContactLoad", 14, 12, chores("setImageDrawable notifyDataSet setTag listItem")),
	)
	network := outline(`
~.api.common.Request.send(Ljava/lang/String;)V
	~.api.common.Transport.open()V #20 w=9
		@http #20
		@openConnection #20
		@readLine #80
	~.api.common.Response.parse(Ljava/lang/String;)V #20 w=9
		@parseJson #20
		@jsonString #90
		@jsonInt #40
		@jsonPut #40
`, nil)
	return app{
		pkg: "com.enflick.android.TextNow", total: 230.46 / 0.406, seconds: 48, pid: 11871,
		threads: []thread{
			mainThread("=424", "#170 =12", callbacks, messages),
			asyncTask("AsyncTask #2", "tasks.HttpTask", 20, 58, network, chores("logInfo#40 uuid#20 urlEncode#40 mac#20")),
			asyncTask("AsyncTask #3", "tasks.ContactTask", 14, 28, chores("rawQuery#28 fillCursor#28 moveToNext#60 collate#120 lowerCase#60")),
			pool("glide-disk-thread", posted("glide.Engine", 18, 25, chores("decodeBytes scaleBitmap cachePut readBuffer#30 crc#18"))),
			collector(14),
			binderThread("Binder_1", 40, 5),
			timerThread("Timer-1", "ads.Rotation", 8, 9, chores("handlerSend accounts operatorName format")),
		},
		form: artwrite.Form{Version: 3},
		gzip: true,
	}
}
