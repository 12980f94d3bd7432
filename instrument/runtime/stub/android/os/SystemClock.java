package android.os;

/** Replaces Android's class while the runtime is compiled. It is not part of the runtime. */
public final class SystemClock {
    public static long elapsedRealtimeNanos() {
        throw new UnsupportedOperationException();
    }
}
