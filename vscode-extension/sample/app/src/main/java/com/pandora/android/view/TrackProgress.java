package com.pandora.android.view;

import android.os.SystemClock;
import android.view.View;
import android.widget.ProgressBar;

/** The bar below the cover. */
public class TrackProgress {
    private final ProgressBar bar;
    private final View owner;
    private long drawn;

    private final Runnable redraw = new Runnable() {
        @Override
        public void run() {
            owner.postInvalidateOnAnimation();
        }
    };

    TrackProgress(ProgressBar bar, View owner) {
        this.bar = bar;
        this.owner = owner;
    }

    public void onTrackElapsedTime(int elapsed) {
        bar.setProgress(elapsed);
        drawn = SystemClock.elapsedRealtime();
        owner.post(redraw);
    }
}
