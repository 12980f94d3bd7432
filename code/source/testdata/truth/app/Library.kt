package app

import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay

// What the other files call. The same few functions are called again and again, so that
// their names do not tell one block from the next.

val io: CoroutineDispatcher = Dispatchers.IO
val main: CoroutineDispatcher = Dispatchers.Default

fun log(text: String) = println(text)

fun mark() = log("mark")

fun work(n: Int): Int = n + 1

suspend fun pause() = delay(1)

suspend fun fetch(id: Int): String {
    delay(1)
    return "item $id"
}

fun interface Listener {
    fun onEvent(n: Int)
}

interface Callback {
    fun onDone(text: String)
    fun onFail() {}
}

class View {
    var text: String = ""
    var listener: Listener? = null
    private val queue = ArrayList<() -> Unit>()

    fun listen(listener: Listener) {
        this.listener = listener
    }

    fun listen(callback: Callback) {
        queue.add { callback.onDone(text) }
    }

    fun post(block: () -> Unit) {
        queue.add(block)
    }

    fun post(delay: Int, block: () -> Unit) {
        if (delay > 0) queue.add(block)
    }
}

inline fun measured(block: () -> Unit) {
    val start = System.nanoTime()
    block()
    log("took ${System.nanoTime() - start}")
}

inline fun crossed(crossinline block: (Int) -> Unit): Listener = object : Listener {
    override fun onEvent(n: Int) {
        mark()
        block(n)
    }
}

inline fun crossedLambda(view: View, crossinline block: () -> Unit) {
    view.post { block() }
    view.post(1) {
        mark()
        block()
    }
}

inline fun kept(noinline block: () -> Unit, also: () -> Unit): () -> Unit {
    also()
    return block
}

inline fun <T> CoroutineScope.guarded(value: T, block: (T) -> Unit) {
    try {
        block(value)
    } catch (e: IllegalStateException) {
        log(e.message ?: "none")
    }
}
