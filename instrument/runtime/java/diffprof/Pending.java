package diffprof;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * Work that was handed over: objects, each with the place of its latest hand-over. Work
 * that is never carried out stays until its object is gone.
 */
final class Pending {
    /** The largest number of objects. */
    private static final int MAX = 1 << 14;

    /** The number of times for work that is carried out repeatedly. */
    private static final int ALWAYS = Integer.MAX_VALUE;

    /** An object, or a handler with the number of a message that the framework makes. */
    private static final class Entry extends WeakReference<Object> {
        final int hash;
        final boolean numbered;
        /** The number of the message, if the object is a handler or a message. */
        int number;
        int origin;
        /** The log of the thread that handed the object over, and the activation in it. */
        int by;
        int activation;
        long order;
        int left;
        Entry next;

        Entry(Object of, int hash, boolean numbered) {
            super(of, gone);
            this.hash = hash;
            this.numbered = numbered;
        }
    }

    private static final ReferenceQueue<Object> gone = new ReferenceQueue<Object>();
    private static final Entry[] buckets = new Entry[1 << 10];
    private static int size;
    private static long order;
    private static long dropped;

    private Pending() {}

    /** Remembers where an object was handed over. */
    static void put(Object work, Log log, boolean repeats) {
        work = Messages.work(work);
        put(work, false, Messages.is(work) ? Messages.what(work) : 0, log, repeats);
    }

    /** Remembers where a handler got a message with only a number. */
    static void send(Object handler, int what, Log log) {
        put(handler, true, what, log, false);
    }

    private static void put(Object of, boolean numbered, int number, Log log, boolean repeats) {
        put(of, numbered, number, log.origin(), log.number, log.activation(), repeats);
    }

    /** Adds an object. Its origin is 0 if unknown, and -1 if there was no room for it. */
    private static synchronized void put(Object of, boolean numbered, int number, int origin, int by, int activation, boolean repeats) {
        if (of == null) {
            return;
        }
        for (Entry e = (Entry) gone.poll(); e != null; e = (Entry) gone.poll()) {
            remove(e);
        }
        Entry e = find(of, numbered, number);
        if (origin <= 0 || e == null && size >= MAX) {
            if (e != null) {
                remove(e);
            }
            dropped += origin == 0 ? 0 : 1;
            return;
        }
        if (e == null) {
            e = new Entry(of, hash(of, numbered, number), numbered);
            int at = e.hash & buckets.length - 1;
            e.next = buckets[at];
            buckets[at] = e;
            size++;
        }
        e.number = number;
        e.origin = origin;
        e.by = by;
        e.activation = activation;
        e.order = ++order;
        e.left = repeats || e.left == ALWAYS ? ALWAYS : e.left + 1;
    }

    /**
     * Returns the origin of work that is carried out now, 0 if it has none. Work below the activation
     * that handed it over needs no origin.
     */
    static synchronized int take(Object work, Log log) {
        if (work == null) {
            return 0;
        }
        Entry e = find(work, false, 0);
        if (Messages.is(work)) {
            int what = Messages.what(work);
            Object target = Messages.target(work);
            Entry numbered = target == null ? null : find(target, true, what);
            if (e != null && (e.number != what || numbered != null && numbered.order > e.order)) {
                // The framework used the object again for another message.
                remove(e);
                e = null;
            }
            if (e == null) {
                e = numbered;
            }
        }
        if (e == null) {
            return 0;
        }
        if (e.left != ALWAYS && --e.left == 0) {
            remove(e);
        }
        return e.by == log.number && log.open(e.activation) ? 0 : e.origin;
    }

    private static int hash(Object of, boolean numbered, int number) {
        int h = System.identityHashCode(of) * 31 + (numbered ? number + 1 : 0);
        return h ^ h >>> 15;
    }

    private static Entry find(Object of, boolean numbered, int number) {
        int hash = hash(of, numbered, number);
        Entry e = buckets[hash & buckets.length - 1];
        while (e != null && !(e.hash == hash && e.numbered == numbered && (!numbered || e.number == number) && e.get() == of)) {
            e = e.next;
        }
        return e;
    }

    private static void remove(Entry entry) {
        int at = entry.hash & buckets.length - 1;
        Entry before = null;
        for (Entry e = buckets[at]; e != null; before = e, e = e.next) {
            if (e == entry) {
                if (before == null) {
                    buckets[at] = e.next;
                } else {
                    before.next = e.next;
                }
                size--;
                return;
            }
        }
    }

    static synchronized long dropped() {
        return dropped;
    }
}
