package diffprof;

import android.os.Message;

/** What the runtime knows about Android's messages. */
final class Messages {
    private static final boolean known = known();

    private Messages() {}

    private static boolean known() {
        try {
            return Class.forName("android.os.Message") != null;
        } catch (Throwable t) {
            return false;
        }
    }

    static boolean is(Object work) {
        return known && work instanceof Message;
    }

    /** Returns the Runnable of a message that has one, and otherwise the work itself. */
    static Object work(Object work) {
        if (is(work)) {
            Object callback = ((Message) work).getCallback();
            return callback == null ? work : callback;
        }
        return work;
    }

    static int what(Object message) {
        return ((Message) message).what;
    }

    static Object target(Object message) {
        return ((Message) message).getTarget();
    }
}
