package android.os;

/** Stands for Android's class in tests that run on a JVM. */
public final class SystemClock {
    public static long elapsedRealtimeNanos() {
        return System.nanoTime();
    }
}
