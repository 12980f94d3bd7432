package diffprof;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/** Runtime checks that each enter has its exit, and prints the counts at the end. */
public final class Runtime {
  private static final AtomicInteger ENTERS = new AtomicInteger();
  private static final AtomicInteger EXITS = new AtomicInteger();
  private static final AtomicInteger CALLS = new AtomicInteger();
  private static final AtomicInteger UNBALANCED = new AtomicInteger();
  private static final ThreadLocal<ArrayDeque<Integer>> OPEN = ThreadLocal.withInitial(ArrayDeque::new);

  static {
    java.lang.Runtime.getRuntime().addShutdownHook(new Thread(() ->
        System.out.println("enters " + ENTERS + ", exits " + EXITS + ", calls " + CALLS + ", unbalanced " + UNBALANCED)));
  }

  public static void enter(int method) {
    ENTERS.incrementAndGet();
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
  }
}
