package com.pandora.android.player;

import android.os.Handler;
import com.pandora.android.view.TrackElapsedTimeView;

/** Tells the views each second how far the track is. */
public class ElapsedTicker implements Runnable {
    private final Handler handler;
    private final TrackElapsedTimeView view;
    private int elapsed;

    ElapsedTicker(Handler handler, TrackElapsedTimeView view) {
        this.handler = handler;
        this.view = view;
    }

    @Override
    public void run() {
        view.show(++elapsed);
        handler.removeCallbacks(this);
        handler.sendMessage(handler.obtainMessage(PlayerHandler.TICK, elapsed, 0));
        handler.post(this);
    }
}
