package com.pandora.android.stats;

import android.content.SharedPreferences;
import android.database.Cursor;
import android.database.sqlite.SQLiteDatabase;
import android.os.Handler;
import android.os.Message;

/** Counts what is listened to. */
public class Collector extends Handler {
    private SQLiteDatabase database;
    private SharedPreferences preferences;

    @Override
    public void handleMessage(Message msg) {
        Cursor pending = database.rawQuery("SELECT * FROM events WHERE sent = 0", null);
        int count = pending.getCount();
        pending.close();
        if (count > 0) {
            preferences.edit().putInt("pending", count).commit();
        }
    }
}
