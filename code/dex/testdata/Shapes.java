import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.IntUnaryOperator;

/** Shapes has code of many forms: see TestSample. */
final class Shapes {
  static final int[] TABLE = {1, 1, 2, 3, 5, 8, 13, 21};
  static final long LARGE = 1L << 40;
  private final Object lock = new Object();
  private int counter;

  static int packed(int n) {
    switch (n) {
      case 1: return 10;
      case 2: return 20;
      case 3: return 30;
      default: return -1;
    }
  }

  static int sparse(int n) {
    switch (n) {
      case -1000: return 1;
      case 7: return 2;
      case 1 << 20: return 3;
      default: return 0;
    }
  }

  static String text(String s) {
    switch (s) {
      case "alpha": return "first";
      case "beta": return "second";
      default: return s + LARGE;
    }
  }

  int locked(int n) {
    synchronized (lock) {
      for (int i = 0; i < n; i++) {
        if (i % 3 == 2) {
          continue;
        }
        counter += TABLE[i & 7];
      }
      return counter;
    }
  }

  synchronized void touch() {
    counter++;
  }

  static long wide(long a, int b, double c, long d, float e, double f, int g, long h) {
    long sum = a * b + (long) (c * f) - d / (h | 1);
    double x = e + c;
    for (int i = 0; i < g; i++) {
      sum += i * 31L;
      x = x * 0.5 + sum;
    }
    return sum ^ Double.doubleToLongBits(x);
  }

  static int guarded(List<String> log, int n) {
    try {
      log.add("try " + n);
      if (n == 0) {
        throw new IllegalStateException("zero");
      }
      return 100 / (n - 1);
    } catch (IllegalStateException | NullPointerException e) {
      log.add(e.getMessage());
      return -1;
    } catch (ArithmeticException e) {
      log.add("divided");
    } finally {
      log.add("finally");
    }
    return -2;
  }

  static int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
  }

  static int lambda(IntUnaryOperator f, Callable<Integer> c) throws Exception {
    return f.applyAsInt(3) + c.call();
  }

  public static void main(String[] args) throws Exception {
    List<String> log = new ArrayList<>();
    Shapes s = new Shapes();
    int base = args.length;
    for (int i = -1; i < 5; i++) {
      log.add("" + packed(i) + sparse(i) + guarded(log, i) + s.locked(i));
    }
    s.touch();
    log.add(text("alpha") + text("gamma"));
    log.add("" + wide(1, 2, 3.5, LARGE, 4.25f, 5, 6, 7));
    log.add("" + fibonacci(10) + lambda(x -> x + base, () -> 4));
    Thread[] threads = new Thread[3];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = new Thread(s::touch);
      threads[i].start();
    }
    for (Thread t : threads) {
      t.join();
    }
    System.out.println(log + " " + s.counter);
  }
}
