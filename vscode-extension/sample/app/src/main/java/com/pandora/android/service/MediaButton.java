package com.pandora.android.service;

import android.content.BroadcastReceiver;
import android.content.Context;
import android.content.Intent;
import android.os.Handler;

/** The headset's button. */
public class MediaButton extends BroadcastReceiver {
    private final Handler player = new Handler();

    @Override
    public void onReceive(Context context, Intent intent) {
        if (Intent.ACTION_MEDIA_BUTTON.equals(intent.getAction())) {
            player.sendMessage(player.obtainMessage(2, intent.getStringExtra("button")));
        }
    }
}
