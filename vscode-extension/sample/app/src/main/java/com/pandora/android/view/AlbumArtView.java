package com.pandora.android.view;

import android.content.Context;
import android.graphics.Bitmap;
import android.graphics.Canvas;
import android.graphics.Paint;
import android.graphics.RectF;
import android.view.View;

/** The cover, with rounded corners. */
public class AlbumArtView extends View {
    private final Paint paint = new Paint();
    private final RectF frame = new RectF();
    private Bitmap cover;

    public AlbumArtView(Context context) {
        super(context);
    }

    @Override
    protected void onDraw(Canvas canvas) {
        canvas.save();
        canvas.drawRoundRect(frame, 8, 8, paint);
        canvas.drawBitmap(cover, 0, 0, paint);
        canvas.restore();
    }
}
