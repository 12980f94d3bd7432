package com.pandora.android.audio;

import java.io.BufferedInputStream;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import javax.crypto.Cipher;
import org.json.JSONObject;

/** Loads the next track while this one plays. */
public class TrackLoader implements Runnable {
    private final URL playlist;
    private final Cipher cipher;

    TrackLoader(URL playlist, Cipher cipher) {
        this.playlist = playlist;
        this.cipher = cipher;
    }

    @Override
    public void run() {
        try {
            HttpURLConnection connection = (HttpURLConnection) playlist.openConnection();
            InputStream in = new BufferedInputStream(connection.getInputStream());
            byte[] buffer = new byte[1 << 16];
            int n = in.read(buffer, 0, buffer.length);
            JSONObject track = new JSONObject(new String(cipher.doFinal(buffer), 0, n));
            for (String key : new String[] {"title", "artist", "album", "cover", "audio"}) {
                track.getString(key);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
