package com.pandora.android.activity;

import android.app.Activity;
import android.content.Intent;
import android.content.SharedPreferences;
import android.os.Bundle;
import android.util.Log;
import android.view.View;

/** The screen with the cover, the times and the bar. */
public class NowPlaying extends Activity {
    private View thumb;

    private final Runnable hide = new Runnable() {
        @Override
        public void run() {
            thumb.setVisibility(View.GONE);
        }
    };

    private final View.OnClickListener more = new View.OnClickListener() {
        @Override
        public void onClick(View view) {
            Log.d("NowPlaying", "more");
            view.setEnabled(false);
            thumb.setVisibility(View.VISIBLE);
            startActivity(new Intent(Intent.ACTION_VIEW));
        }
    };

    @Override
    protected void onCreate(Bundle state) {
        super.onCreate(state);
        setContentView(1);
        SharedPreferences preferences = getSharedPreferences("player", 0);
        for (int id = 2; id < 10; id++) {
            View child = findViewById(id);
            child.setContentDescription(getResources().getString(id));
        }
        if (preferences.getBoolean("thumbs", true)) {
            thumb = findViewById(10);
            thumb.setOnClickListener(more);
        }
    }
}
