package android.os;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Stands for Android's class in tests that run on a JVM. */
public final class Debug {
    private static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    /** How often the clock was read. */
    public static volatile int reads;

    public static long threadCpuTimeNanos() {
        reads++;
        return threads.getCurrentThreadCpuTime();
    }
}
