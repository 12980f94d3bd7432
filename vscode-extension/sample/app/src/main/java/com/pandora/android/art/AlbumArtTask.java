package com.pandora.android.art;

import android.graphics.Bitmap;
import android.graphics.BitmapFactory;
import android.os.AsyncTask;
import android.util.LruCache;
import android.widget.ImageView;
import java.security.MessageDigest;

/** Loads a cover off the main thread. */
public class AlbumArtTask extends AsyncTask<Object, Void, Object> {
    private final LruCache<Object, Object> cache = new LruCache<>(16);
    private final MessageDigest digest;
    private final ImageView image;
    private Object key;

    AlbumArtTask(MessageDigest digest, ImageView image) {
        this.digest = digest;
        this.image = image;
    }

    @Override
    protected Object doInBackground(Object... args) {
        byte[] data = (byte[]) args[0];
        key = new String(digest.digest(data));
        Object known = cache.get(key);
        if (known != null) {
            return known;
        }
        Bitmap cover = BitmapFactory.decodeByteArray(data, 0, data.length, new BitmapFactory.Options());
        return Bitmap.createScaledBitmap(cover, 512, 512, true);
    }

    @Override
    protected void onPostExecute(Object cover) {
        cache.put(key, cover);
        image.setTag(key);
        image.setImageBitmap((Bitmap) cover);
    }
}
