package diffprof;

import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runtime checks that each enter has its exit, and prints the counts at the end. If the property
 * diffprof.log is set, it writes the number of enters and calls by id to this file.
 */
public final class Runtime {
  private static final AtomicInteger ENTERS = new AtomicInteger();
  private static final AtomicInteger EXITS = new AtomicInteger();
  private static final AtomicInteger CALLS = new AtomicInteger();
  private static final AtomicInteger UNBALANCED = new AtomicInteger();
  private static final ThreadLocal<ArrayDeque<Integer>> OPEN = ThreadLocal.withInitial(ArrayDeque::new);

  private static final Map<String, AtomicInteger> LOG = new ConcurrentHashMap<>();

  private static void log(String kind, int id) {
    LOG.computeIfAbsent(kind + " " + id, key -> new AtomicInteger()).incrementAndGet();
  }

  private static void write(String file) {
    try (PrintStream out = new PrintStream(file)) {
      LOG.forEach((key, n) -> out.println(key + " " + n));
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  static {
    String file = System.getProperty("diffprof.log");
    if (file != null) {
      java.lang.Runtime.getRuntime().addShutdownHook(new Thread(() -> write(file)));
    }
    java.lang.Runtime.getRuntime().addShutdownHook(new Thread(() ->
        System.out.println("enters " + ENTERS + ", exits " + EXITS + ", calls " + CALLS + ", unbalanced " + UNBALANCED)));
  }

  public static void enter(int method) {
    ENTERS.incrementAndGet();
    log("e", method);
    OPEN.get().push(method);
  }

  public static void exit(int method) {
    EXITS.incrementAndGet();
    Integer entered = OPEN.get().poll();
    if (entered == null || entered != method) {
      UNBALANCED.incrementAndGet();
    }
  }

  public static void call(int site) {
    CALLS.incrementAndGet();
    log("c", site);
  }
}
