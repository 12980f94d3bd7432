package com.pandora.android.player;

import android.content.ContentResolver;
import android.content.SharedPreferences;
import android.media.AudioManager;
import android.media.session.MediaSession;
import android.media.session.PlaybackState;
import android.os.Handler;
import android.os.Message;
import android.provider.Settings;
import java.text.SimpleDateFormat;
import java.util.Date;

/** What the player does on the main thread. */
public class PlayerHandler extends Handler {
    static final int TICK = 1;

    private final SimpleDateFormat format = new SimpleDateFormat("HH:mm:ss");
    private SharedPreferences preferences;
    private AudioManager audio;
    private MediaSession session;
    private ContentResolver resolver;
    private long ticked;

    @Override
    public void handleMessage(Message msg) {
        ticked = System.currentTimeMillis();
        String station = preferences.getString("station", "");
        if (msg.arg1 % 2 == 0) {
            log(station + " at " + format.format(new Date(ticked)));
        }
        if (msg.arg1 % 5 == 0) {
            session.setPlaybackState(new PlaybackState.Builder().build());
        }
        if (audio.getStreamVolume(AudioManager.STREAM_MUSIC) == 0) {
            log("muted on " + Settings.Secure.getString(resolver, Settings.Secure.ANDROID_ID));
        }
    }

    private void log(String line) {}
}
