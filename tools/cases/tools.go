package main

import (
	"strconv"

	"github.com/diffprof/diffprof/tools/artwrite"
)

// kaspersky is Kaspersky (Section 5.3.1). Each line of its log that cannot be encoded causes an
// exception with a stack trace. The paper does not name the other app.
func kaspersky() app {
	logging := outline(`
~.log.Logger.write(Ljava/lang/String;)V #90 w=3
	~.log.Encoder.encode(Ljava/lang/String;)[B w=2
		~.log.Encoder.onFailure(Ljava/lang/Exception;)V
			@stackTrace #90 =39.57
		@getBytes #90
	@logDebug #60
`, nil)
	scan := outline(`
~.scan.Scanner.scan(Ljava/lang/String;)I #40 w=30
	@installedPackages #2
	@packageInfo #40
	@zipOpen #40
	@zipEntry #80
	@crc #160
	@readBuffer #80
	~.scan.Signatures.match([B)Z #160 w=14
		@digest #80
`, nil)
	return app{
		pkg: "com.kms.free", total: 39.57 / 0.148, seconds: 32, pid: 14988,
		threads: []thread{
			mainThread("=58", "#90 =6", join(
				click("gui.MainScreen$3", 5, 9, chores("startActivity#2 setText#20 setVisibility#12 setEnabled#5 logInfo#5 loadAnimation#2 startAnimation#5")),
				receive("receiver.PackageReceiver", 4, 4, chores("intentAction intentExtra packageInfo")),
				posted("gui.ScanProgress$1", 40, 8, chores("setProgress setTextColor removeCallbacks#40 format#40")),
				frame(traversal("=16", 22, 11, onDraw("gui.RadarView", 22, 4.4, chores("drawArc drawBitmap canvasSave")))),
			), join(
				launch("gui.MainScreen", 2, 9, chores("superCreate setContentView findViewById#20 sharedPreferences readFlag#6 resourceString#10")),
				service("service.KisService", 4, 5, chores("intentExtra buildNotification notify alarm#1")),
			)),
			pool("pool-2-thread-1", posted("scan.ScanTask", 40, 165, chain("com.kms.free.rx", 5, logging, scan), chores("currentTime listAdd#160 mapPut#80 fileExists#80 fileLength#80 replace#40"))),
			asyncTask("AsyncTask #2", "update.UpdateTask", 4, 16, chores("https#4 gunzip#8 verify#2 writeFile#8 handshake#2")),
			collector(12),
			binderThread("Binder_2", 12, 2.4, serves("ipc.IKis$Stub", 12, 5, chores("enumValue concurrentGet volumeList#3"))),
		},
		// As Dalvik wrote them, records have 9 bytes with the thread clock, and names have slashes
		// and lines.
		form: artwrite.Form{Version: 1}, vm: "dalvik",
	}
}

func avg() app {
	return app{
		pkg: "com.antivirus", total: 148, seconds: 32, pid: 8812,
		threads: []thread{
			mainThread("=52", "#80 =5", join(
				itemClick("ui.Dashboard", 5, 8, chores("startActivity#2 setText#16 setVisibility#10 setEnabled#5 logInfo#5 toast#2 showToast#2")),
				receive("receivers.Packages", 4, 3, chores("intentAction intentExtra packageInfo")),
				fragmentView("ui.DashboardFragment", 2, 8, chores("inflate#4 setTag#6 sharedPreferences readFlag#6 resourceString#10")),
				posted("ui.Progress", 30, 6, chores("setTextColor postInvalidate drawArc")),
				frame(traversal("=15", 20, 12, onDraw("ui.Shield", 20, 4, chores("drawBitmap viewDraw#4 drawRoundRect")))),
			), join(
				service("core.ScanService", 4, 4, chores("bundleString wakeLock wakeRelease")),
			)),
			ownThread("Thread-40", "scan.Engine", 62, chores("installedPackages#2 packageInfo#40 zipOpen#40 regexFind#60 sort#10 listFiles#20 deleteFile#6 nanoTime#40 treePut#40")),
			asyncTask("AsyncTask #1", "update.Definitions", 3, 9, chores("http#3 gunzip#6 writeFile#6 properties#1")),
			collector(9),
			binderThread("Binder_1", 10, 2),
		},
		form: artwrite.Form{Version: 1}, vm: "dalvik",
	}
}

// dfndr is DFNDR (Section 5.3.1). It runs ps once for each installed app. It is compared with Turbo
// Cleaner, as in Section 3.4.1. One app handles the click of a button, and the other the click of a
// list item.
func dfndr() app {
	processes := outline(`
~.cleaner.ProcessScanner.scanAll(Ljava/util/List;)V w=4
	~.cleaner.ProcessScanner.running(Ljava/lang/String;)Z #61 w=2
		~.util.Shell.run(Ljava/lang/String;)Ljava/lang/String; w=3
			@exec #61 =19.52
			@readLine #120
	~.cleaner.ProcessScanner.kill(Ljava/lang/String;)V #9 w=2
		@killProcess #9
`, nil)
	junk := outline(`
~.cleaner.JunkFinder.walk(Ljava/io/File;)J #24 w=40
	@listFiles #160 =26.4
	@fileLength #400
	@storageState #24
	~.cleaner.JunkFinder.match(Ljava/lang/String;)Z #300 w=8
		@regexFind #300 =23.8
`, nil)
	return app{
		pkg: "com.psafe.msuite", total: 19.52 / 0.052, seconds: 34, pid: 12730,
		threads: []thread{
			mainThread("=150", "#130 =10", join(
				itemClick("cleanup.CleanupFragment", 5, 22, chores("startActivity#2 setText#24 setVisibility#14 setEnabled#5 logDebug#10 runOnUiThread#5 setBackground#4")),
				posted("cleanup.ProgressUpdate", 60, 19, chores("setTextColor fileSize removeCallbacks setProgress")),
				receive("boost.BatteryReceiver", 8, 7, chores("intentAction intentExtra memoryInfo")),
				frame(
					traversal("=46", 40, 14, onDraw("cleanup.WaveView", 60, 17, chores("pathLine#600 drawArc canvasSave drawBitmap"))),
					onFrame("cleanup.Spinner", 60, 10, chores("uptime setTranslation postInvalidate")),
				),
			), join(
				launch("cleanup.CleanupActivity", 3, 19, chores("superCreate setContentView findViewById#40 sharedPreferences readFlag#8 resourceString#14 inflate#6")),
				result("cleanup.IconLoader", 40, 10, chores("setImageDrawable setTag cachePut")),
			)),
			pool("pool-6-thread-1", posted("cleaner.ScanJob", 4, 160, chain("rx.internal.operators", 10, processes, junk), chores("installedPackages#3 packageInfo#61 listAdd#160 mapPut#120 statFs#4 freeBytes#4 sort#4 logInfo#61 currentTime#61"))),
			asyncTask("AsyncTask #1", "cleanup.IconTask", 40, 21, chores("appIcon cacheGet queryActivities#4")),
			collector(15),
			binderThread("Binder_1", 24, 4, serves("remote.ICleaner$Stub", 12, 6, chores("enumValue concurrentGet"))),
			timerThread("Timer-0", "ads.Refresh", 8, 9, chores("rxBytes wifiInfo nanoTime")),
		},
		form:   artwrite.Form{Version: 3},
		gzip:   true,
		shrunk: true,
	}
}

func turbo() app {
	return app{
		pkg: "com.turboc.cleaner", total: 142, seconds: 34, pid: 5907,
		threads: []thread{
			midRun("ui.HomeActivity", "#80 =5", join(
				click("ui.CleanButton", 5, 10, chores("startActivity#2 setText#20 setVisibility#12 setEnabled#5 logDebug#6 toast#2 showToast#2")),
				posted("ui.Counter", 50, 8, chores("setTextColor fileSize removeCallbacks")),
				fragmentView("ui.HomeFragment", 2, 9, chores("inflate#4 sharedPreferences readFlag#6 resourceString#10")),
				frame(traversal("=18", 24, 12, onDraw("ui.Fan", 24, 5, chores("drawBitmap drawRoundRect")))),
			), join(
				result("ui.Icons", 30, 6, chores("setImageResource setTag")),
			)),
			ownThread("Thread-19", "scan.Walker", 44, chores("installedPackages#2 listAdd#80 runningProcesses#4 treePut#60 concurrentPut#60 split#60 crc#40")),
			asyncTask("AsyncTask #1", "ui.IconTask", 30, 14, chores("appIcon decodeBytes digest")),
			collector(9),
			binderThread("Binder_3", 12, 2),
		},
		form: artwrite.Form{Version: 3},
	}
}

// solid is the pair Solid and FX (Section 5.3.2). After Solid has created a folder, it stops
// drawing its animated arc, but continues to request frames.
func solid() app {
	return app{
		pkg: "pl.solidexplorer2", total: 35.52 / 0.189, seconds: 30, pid: 19404,
		threads: []thread{
			mainThread("", "#120 =5", join(
				frame(
					animation("gui.CircularAnimatedDrawable$1", 1030, 35.52),
					traversal("=29", 24, 12, onDraw("gui.FolderIcon", 40, 7, chores("drawBitmap canvasSave drawArc#20"))),
				),
				click("panels.PanelFragment$8", 6, 9, chores("startActivity#1 setText#24 setVisibility#16 editText#4 logDebug#6 dialog#2 setTag#10")),
				posted("gui.Toolbar$1", 24, 5, chores("requestLayout setTextColor removeCallbacks")),
			), join(
				launch("SolidExplorer", 2, 12, chores("superCreate setContentView findViewById#24 sharedPreferences readFlag#6 resourceString#12")),
				handles("panels.Refresh", 12, 8, chores("notifyDataSet listItem fileSize#40 formatDate#40")),
			)),
			pool("pool-1-thread-2", posted("files.ListTask", 12, 28, chores("listFiles fileLength#120 fileExists#40 lowerCase#120 collate#240 sort#12 parseInt#40"))),
			asyncTask("AsyncTask #1", "thumbs.Thumbnailer", 8, 14, chores("decodeBytes scaleBitmap cacheGet metadata#4")),
			collector(7),
			binderThread("Binder_1", 12, 2),
		},
		form: artwrite.Form{Version: 4},
		gzip: true,
	}
}

// animation is an animator that sets a property of the app's drawable n times.
func animation(class string, n int, uAh float64) []*node {
	task := fragment("invalidateSelf")
	task.inclusive = uAh
	return outline(`
ValueAnimator$AnimationHandler.run one
	ValueAnimator$AnimationHandler.doAnimationFrame one
		ValueAnimator.doAnimationFrame one
			ValueAnimator.animationFrame one
				ObjectAnimator.animateValue one
					ValueAnimator.animateValue #`+strconv.Itoa(n)+`
						PropertyValuesHolder$FloatPropertyValuesHolder.calculateValue
							FloatKeyframeSet.getFloatValue
					PropertyValuesHolder.setAnimatedValue one
						<set>
`, slots{"set": {does(class, "set(Ljava/lang/Object;Ljava/lang/Object;)V", n, 0, []*node{task})}})
}

func fx() app {
	return app{
		pkg: "nextapp.fx", total: 62, seconds: 30, pid: 3318,
		threads: []thread{
			mainThread("", "#70 =3", join(
				frame(
					animation("ui.ProgressRing$2", 28, 1.24),
					traversal("=13", 20, 10, onDraw("ui.Tile", 20, 3, chores("drawBitmap canvasSave"))),
				),
				fragmentView("ui.ExplorerFragment", 1, 6, chores("inflate#3 sharedPreferences readFlag#4 resourceString#8")),
				itemClick("ui.FileList", 5, 4, chores("startActivity#1 setText#16 setVisibility#12 editText#3 toast#1 showToast#1")),
			), join(
				handles("ui.Reload", 8, 3, chores("addView#8 fileSize#30")),
			)),
			ownThread("Thread-8", "fs.Lister", 11, chores("fileLength#60 collate#80 statFs#2 concurrentPut#30 formatDate#30")),
			collector(4),
			binderThread("Binder_2", 8, 1),
		},
		form: artwrite.Form{Version: 4},
	}
}
