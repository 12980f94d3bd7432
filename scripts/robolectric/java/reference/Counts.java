package reference;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts events by number, and writes the counts to the file of the property reference.out at the end. */
public final class Counts {
    private static final List<String> names = new ArrayList<>();
    private static final AtomicLongArray counts = new AtomicLongArray(1 << 20);

    private Counts() {}

    static synchronized int number(String name) {
        names.add(name);
        return names.size() - 1;
    }

    /** An event happens. Changed classes call this method. */
    public static void count(int number) {
        counts.incrementAndGet(number);
    }

    static synchronized void write() {
        try (PrintStream out = new PrintStream(System.getProperty("reference.out"), "UTF-8")) {
            for (int i = 0; i < names.size(); i++) {
                if (counts.get(i) > 0) {
                    out.println(counts.get(i) + " " + names.get(i));
                }
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
