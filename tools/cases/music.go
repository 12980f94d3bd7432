package main

import (
	"fmt"

	"github.com/diffprof/diffprof/tools/artwrite"
)

// pandora80 is Pandora 8.0 (Section 5.3.1). It saves its position in the track each second. The
// paper does not name the other app of the pair, so it is replaced by a small player.
func pandora80() app {
	progress := chain("rx.internal.operators", 20, outline(`
~.player.TrackStateObservable.tick()V
	Observable.notifyObservers #30 =33.4
		Observable.notifyObservers/none w=2
			~.player.ProgressStore.update(Ljava/util/Observable;Ljava/lang/Object;)V w=3
				~.prefs.UserPrefsImpl.setElapsed(J)V w=2
					SharedPreferencesImpl.edit w=2
					SharedPreferencesImpl$EditorImpl.putLong w=2
					@apply =22.9
`, nil))
	return app{
		pkg: "com.pandora.android", total: 22.9 / 0.175, seconds: 30, pid: 6021,
		threads: []thread{
			midRun("activity.NowPlaying", "#70 =2.2", join(
				posted("player.ElapsedTicker", 30, 62.4, outline(`
~.player.Player.onTick()V
	Handler.postDelayed #30 =28.4
		Handler.sendMessageDelayed
			Handler.sendMessageAtTime
				Handler.enqueueMessage w=3
					MessageQueue.enqueueMessage w=3
						MessageQueue.nativeWake w=9
`, nil), progress),
				click("activity.NowPlaying$2", 2, 1.6, chores("setVisibility#4 logDebug#4 startActivity#1")),
				frame(traversal("=6.1", 12, 8, nil)),
			), join(
				handles("player.PlayerHandler", 20, 3.4, chores("readPreference#20 elapsedTime#20 volume#4 sessionState#6")),
			)),
			pool("pool-1-thread-1", posted("audio.TrackLoader", 4, 29.6, outline(`
~.audio.Codec.pump()V
	MediaCodec.dequeueOutputBuffer #400 =26.2
		MediaCodec.native_dequeueOutputBuffer w=9
`, nil), chores("http#2 readBuffer#8 parseJson#2"))),
			collector(5),
			binderThread("Binder_1", 12, 1.2, serves("service.IPlayer$Stub", 6, 2.2, chores("uptime concurrentGet format"))),
		},
		form: artwrite.Form{Version: 2}, // a format without wall clock
	}
}

func freemusic() app {
	return app{
		pkg: "com.free.musicfm", total: 55, seconds: 30, pid: 4410,
		threads: []thread{
			mainThread("=31", "#50 =2", join(
				itemClick("ui.TrackList", 2, 2, chores("setVisibility#4 logDebug#4 startActivity#1")),
				posted("player.Seek", 30, 7, chores("elapsedTime setText removeCallbacks")),
				frame(traversal("=9", 14, 9, nil)),
			), join(
				handles("player.Events", 12, 4, chores("readPreference elapsedTime cursorString#4 sessionState#4")),
			)),
			ownThread("Thread-12", "net.Fetch", 8, chores("https#2 readBuffer#8 parseJsonArray#2")),
			collector(4),
			binderThread("Binder_2", 10, 1),
			pool("exo-load", posted("audio.Mixer", 20, 6, chores("crc getBytes mapGet"))),
		},
		form: artwrite.Form{Version: 3},
	}
}

// pandora57 is the pair Pandora 5.7 and 8.3 (Section 5.3.2, Figure 8(b)). Both set two texts each
// second. In 5.7, the size of their boxes depends on the text, so each new text requests a layout.
func pandora57() app {
	relayout := func(n int) []*node {
		return outline(fmt.Sprintf(`
TextView.setText #%d =43.63
	TextView.setText/buffer
		TextView.setText/all w=2
			TextUtils.stringOrSpannedString
			TextView.checkForRelayout w=2
				TextView.nullLayouts
				View.requestLayout w=2
					ViewRootImpl.requestLayout w=2
						ViewRootImpl.scheduleTraversals w=2
							Choreographer.postCallback w=2
								Choreographer.postCallbackDelayedInternal w=4
									Choreographer.scheduleFrameLocked w=3
										Choreographer.scheduleVsyncLocked w=2
											DisplayEventReceiver.scheduleVsync
												DisplayEventReceiver.nativeScheduleVsync w=6
							MessageQueue.enqueueMessage w=2
							ViewRootImpl.performTraversals w=4
								ViewRootImpl.measureHierarchy w=2
									ViewRootImpl.performMeasure w=2
										View.measure w=2
											FrameLayout.onMeasure w=2
												ViewGroup.measureChildWithMargins x12
													View.measure w=2
														LinearLayout.onMeasure x0.25
															LinearLayout.measureVertical w=3
														TextView.onMeasure x0.5 w=5
				View.invalidate
					View.invalidate/cache
						View.invalidateInternal w=2
`, n), nil)
	}
	a := pandoraPlaying(155.27, 5, relayout(58), []*node{progressBar(29, 1.9)})
	a.gzip = true
	return a
}

func pandora83(old bool) app {
	if old {
		a := pandoraPlaying(108, 8, []*node{textBox(58, 0.74)}, []*node{progressBar(29, 1.74)})
		a.form, a.gzip = artwrite.Form{Version: 3, Streaming: true}, true
		return a
	}
	return pandoraPlaying(108, 8, []*node{textBox(58, 0.74)}, []*node{progressBar(29, 1.74)})
}

func textBox(n int, uAh float64) *node {
	top := fragment("setText")
	top.total, top.inclusive = n, uAh
	return top
}

func progressBar(n int, uAh float64) *node {
	top := fragment("setProgress")
	top.total, top.inclusive = n, uAh
	return top
}

// pandoraPlaying is a station that plays for half a minute.
func pandoraPlaying(total float64, version int, elapsed, bar []*node) app {
	view := outline(`
~.view.TrackElapsedTimeView.show(I)V w=3
	<elapsed>
	@elapsedTime #58
`, slots{"elapsed": elapsed})
	tick := outline(`
~.view.TrackProgress.onTrackElapsedTime(I)V w=2
	<bar>
	@elapsedRealtime
`, slots{"bar": bar})
	var upkeep, store []*node
	ticker := posted("player.ElapsedTicker", 29, 0, view, chores("removeCallbacks handlerSend"))
	if version < 8 {
		upkeep = chores("formatDate#12 currentTime#29 secureSetting#2")
		store = chores("rawQuery#10 fillCursor#10 commit#6")
		ticker = posted("player.ElapsedTicker", 29, 0, view, chores("removeCallbacks handlerSend handlerPost"))
	} else {
		upkeep = chores("nanoTime#12 uptime#29 systemService#2")
		store = chores("insertRow#10 concurrentPut#30 commit#4")
	}
	drawn := onDraw("view.AlbumArtView", 10, 2.4, chores("drawBitmap canvasSave drawRoundRect"))
	callbacks := join(
		ticker,
		click("activity.NowPlaying$2", 3, 3.2, chores("setVisibility#6 logDebug#4 startActivity#1 setEnabled#6")),
		receive("service.MediaButton", 2, 1.1, chores("intentAction intentExtra handlerSend")),
		frame(traversal("=11", 14, 9, drawn), posted("view.TrackProgress$1", 29, 0, tick, chores("postInvalidate"))),
	)
	messages := join(
		handles("player.PlayerHandler", 20, 5, chores("readPreference volume#4 sessionState#6"), upkeep),
		launch("activity.NowPlaying", 1, 7, chores("superCreate setContentView findViewById#24 sharedPreferences readFlag#4 resourceString#8")),
		result("art.AlbumArtTask", 4, 1.6, chores("setImageBitmap cachePut setTag")),
	)
	a := app{
		pkg: "com.pandora.android", total: total, seconds: 30, pid: 6021,
		threads: []thread{
			mainThread("", "#100 =4.6", callbacks, messages),
			pool("pool-1-thread-1", posted("audio.TrackLoader", 4, 15, chores("https#4 readBuffer#30 parseJson#4 jsonString#20 cipher#4"))),
			asyncTask("AsyncTask #1", "art.AlbumArtTask", 4, 9, chores("decodeBytes scaleBitmap cacheGet digest")),
			handlerThread("stats", "=6", "", handles("stats.Collector", 10, 5.2, store)),
			collector(8),
			binderThread("Binder_1", 20, 2.4, serves("service.IPlayer$Stub", 12, 3.1, chores("uptime concurrentGet format"))),
		},
		form: artwrite.Form{Version: 3},
	}
	return a
}

// spotify is the pair Spotify and Pandora (Section 5.3.2). Spotify moves its progress bar with
// every frame. The text of the paper repeats here the 43.63 µAh and 28.1 % of Pandora 5.7. The 29.2
// µAh and 20.2 % of Table 4 are used instead.
func spotify() app {
	return app{
		pkg: "com.spotify.music", total: 29.2 / 0.202, seconds: 30, pid: 10231,
		threads: []thread{
			mainThread("", "#120 =5", join(
				frame(
					traversal("=24", 20, 10, onDraw("nowplaying.CoverView", 20, 4, chores("drawBitmap canvasSave"))),
					onFrame("nowplaying.SeekbarAnimator", 596, 41, outline(`
~.nowplaying.SeekbarPresenter.a(J)V w=0.6
	<bar>
	@elapsedRealtime
`, slots{"bar": {progressBar(596, 29.2)}}), chores("postInvalidate")),
				),
				click("nowplaying.PlayButton", 3, 3, chores("setVisibility#6 setImageResource#3 toast#1")),
				fragmentView("nowplaying.NowPlayingFragment", 1, 9, chores("inflate#4 loadAnimation#1 resourceString#8 dimension#10")),
				posted("nowplaying.TimeLabel", 29, 2.5, chores("setTextColor elapsedTime removeCallbacks")),
			), join(
				handles("service.CoreHandler", 20, 5, chores("uriParse#20 sessionMetadata#2 sharedPreferences#4")),
			)),
			asyncTask("AsyncTask #1", "net.CallTask", 5, 18, chores("https#5 readBuffer#30 parseJson#5 gunzip#5 crc#20")),
			ownThread("core-thread", "core.Bridge", 14, chores("mac#20 concurrentPut#40 fieldGet#30")),
			collector(7),
			binderThread("Binder_1", 20, 2, serves("service.ISpotify$Stub", 12, 4, chores("enumValue listAdd#30 jsonPut#12"))),
		},
		form: artwrite.Form{Version: 3},
		gzip: true,
	}
}
