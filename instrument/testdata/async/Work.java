import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Hands work over in the ways that a Java machine has, and waits for it. */
public final class Work {
  static final ExecutorService pool = Executors.newSingleThreadExecutor();
  static final AtomicInteger done = new AtomicInteger();

  static void step() {
    done.incrementAndGet();
  }

  /** Work that is carried out once. */
  static class Job implements Runnable {
    final CountDownLatch end = new CountDownLatch(1);

    @Override
    public void run() {
      step();
      end.countDown();
    }
  }

  /** Overrides run, which it calls too. */
  static final class Derived extends Job {
    @Override
    public void run() {
      super.run();
    }
  }

  static final class Answer implements Callable<Integer>, Supplier<Integer> {
    @Override
    public Integer call() {
      step();
      return 1;
    }

    @Override
    public Integer get() {
      step();
      return 2;
    }
  }

  static final class Worker extends Thread {
    @Override
    public void run() {
      step();
    }
  }

  /** Hands itself over three times. */
  static final class Again implements Runnable {
    final CountDownLatch end = new CountDownLatch(3);

    @Override
    public void run() {
      step();
      end.countDown();
      if (end.getCount() > 0) {
        pool.execute(this);
      }
    }
  }

  static void executor() throws Exception {
    Job job = new Derived();
    pool.execute(job);
    job.end.await();
    pool.submit(new Answer()).get();
    pool.submit(() -> step()).get();
  }

  static void thread() throws Exception {
    Worker worker = new Worker();
    worker.start();
    worker.join();
    Job job = new Job();
    Thread thread = new Thread(job, "job");
    thread.start();
    thread.join();
  }

  static void first(Job job, CountDownLatch gate) {
    pool.execute(() -> await(gate));
    pool.execute(job);
  }

  static void second(Job job) {
    pool.execute(job);
  }

  static void await(CountDownLatch gate) {
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Hands one object over at two places before it is carried out. The latest place counts. */
  static void twice() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    Job job = new Job();
    first(job, gate);
    second(job);
    gate.countDown();
    pool.submit(() -> step()).get();
  }

  static void repeatedly() throws Exception {
    ScheduledExecutorService scheduled = Executors.newScheduledThreadPool(1);
    CountDownLatch end = new CountDownLatch(3);
    CountDownLatch last = new CountDownLatch(1);
    scheduled.scheduleAtFixedRate(
        () -> {
          if (end.getCount() > 0) {
            step();
          }
          end.countDown();
        },
        0, 1, TimeUnit.MILLISECONDS);
    end.await();
    scheduled.shutdown();
    scheduled.awaitTermination(1, TimeUnit.MINUTES);
  }

  static void timer() throws Exception {
    Timer timer = new Timer(true);
    CountDownLatch end = new CountDownLatch(1);
    timer.schedule(
        new TimerTask() {
          @Override
          public void run() {
            step();
            end.countDown();
          }
        },
        1);
    end.await();
    timer.cancel();
  }

  static void future() throws Exception {
    FutureTask<Integer> task = new FutureTask<>(new Answer());
    new Thread(task).start();
    task.get();
    CompletableFuture.supplyAsync(new Answer(), pool).get();
    CompletableFuture.runAsync(new Job(), pool).get();
  }

  static void again() throws Exception {
    Again again = new Again();
    pool.execute(again);
    again.end.await();
  }

  /** Carries work out that no call handed over, and leaves work that is never carried out. */
  static void direct() {
    new Job().run();
    Job job = new Job();
    pool.shutdown();
    try {
      pool.execute(job);
    } catch (RuntimeException e) {
      step();
    }
  }

  public static void main(String[] args) throws Exception {
    executor();
    thread();
    twice();
    repeatedly();
    timer();
    future();
    again();
    direct();
    System.out.println(done);
  }
}
