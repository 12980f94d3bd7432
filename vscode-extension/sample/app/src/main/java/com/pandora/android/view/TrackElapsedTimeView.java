package com.pandora.android.view;

import android.content.Context;
import android.text.format.DateUtils;
import android.util.AttributeSet;
import android.widget.LinearLayout;
import android.widget.TextView;

/** The time that a track has played, and the time left. */
public class TrackElapsedTimeView extends LinearLayout {
    private TextView elapsedText;
    private TextView remainingText;
    private int duration;

    public TrackElapsedTimeView(Context context, AttributeSet attrs) {
        super(context, attrs);
    }

    /** Called each second. Each box wraps its text, so a new text needs a layout. */
    public void show(int elapsed) {
        elapsedText.setText(DateUtils.formatElapsedTime(elapsed));
        remainingText.setText("-" + DateUtils.formatElapsedTime(duration - elapsed));
    }
}
