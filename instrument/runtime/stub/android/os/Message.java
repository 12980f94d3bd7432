package android.os;

public final class Message {
    public int what;

    public Runnable getCallback() {
        return null;
    }

    public Handler getTarget() {
        return null;
    }
}
