package com.pandora.android.player;

import android.os.Handler;
import android.os.Message;

/** Ticks once a second while a track plays. */
final class ElapsedTicker implements Runnable {
    private final Handler handler;

    ElapsedTicker(Handler handler) {
        this.handler = handler;
    }

    @Override
    public void run() {
        handler.removeCallbacks(this);
        handler.sendMessage(Message.obtain());
        handler.post(this);
    }
}
