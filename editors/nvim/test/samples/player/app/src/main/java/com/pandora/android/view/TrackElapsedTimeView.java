package com.pandora.android.view;

import android.content.Context;
import android.text.format.DateUtils;
import android.widget.TextView;

/** Shows how much of a track was played. */
public final class TrackElapsedTimeView extends TextView {
    private final TextView remaining;

    public TrackElapsedTimeView(Context context, TextView remaining) {
        super(context);
        this.remaining = remaining;
    }

    void show(int seconds) {
        String text = DateUtils.formatElapsedTime(seconds);
        /* 🎵 */ remaining.setText(text);
    }
}
