package com.pandora.android.stats;

import android.database.Cursor;
import android.database.sqlite.SQLiteDatabase;
import android.os.Handler;
import android.os.Message;

/** Counts what was listened to. */
final class Collector extends Handler {
    private final SQLiteDatabase database;

    Collector(SQLiteDatabase database) {
        this.database = database;
    }

    @Override
    public void handleMessage(Message message) {
        try (Cursor cursor = database.rawQuery("select * from played", null)) {
            if (cursor.getCount() == 0) {
                return;
            }
        }
    }
}
