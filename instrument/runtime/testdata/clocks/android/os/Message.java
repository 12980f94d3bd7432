package android.os;

/** Replaces Android's class in tests that run on a JVM. */
public final class Message {
    public int what;
    public Handler target;
    public Runnable callback;

    public Runnable getCallback() {
        return callback;
    }

    public Handler getTarget() {
        return target;
    }
}
