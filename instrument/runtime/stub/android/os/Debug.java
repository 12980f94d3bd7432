package android.os;

/** Replaces Android's class while the runtime is compiled. It is not part of the runtime. */
public final class Debug {
    public static long threadCpuTimeNanos() {
        throw new UnsupportedOperationException();
    }
}
