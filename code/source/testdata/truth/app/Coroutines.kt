package app

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Job
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlin.coroutines.resume

/** Blocks in a row, as repositories have them. */
class Repository(private val scope: CoroutineScope) {
    private val mutex = Mutex()

    suspend fun sync() {
        withContext(io) {
            log("one")
            System.setProperty("a", "1")
        }
        mark()
        withContext(main) {
            log("two")
            System.setProperty("a", "2")
        }
        withContext(io) {
            fetch(3)
            log("three")
        }
    }

    suspend fun load(): String = withContext(io) {
        log("tail")
        fetch(1)
    }

    suspend fun tailStatement() {
        withContext(io) {
            log("tail statement")
        }
    }

    suspend fun twoTails(first: Boolean) = if (first) {
        withContext(io) {
            log("first")
        }
    } else {
        withContext(main) {
            log("second")
        }
    }

    suspend fun returned(n: Int): Int {
        if (n > 3) {
            return withContext(io) {
                log("early")
                work(n)
            }
        }
        return withContext(main) {
            log("late")
            work(n)
        }
    }

    suspend fun noBlocks() {
        pause()
        log(fetch(2))
    }

    suspend fun noSuspension(): Int {
        log("nothing")
        return listOf(1, 2).sumOf { work(it) }
    }

    suspend fun plainLambdaFirst(view: View) {
        view.post { log("plain") }
        withContext(io) { log("block") }
        view.post { log("plain again") }
        pause()
        view.post { log("plain last") }
    }

    suspend fun plainLambdaOnly(view: View) {
        view.post { log("only") }
        view.post { log("only again") }
    }

    suspend fun plainLambdaAndTail(view: View): String {
        view.post { log("before") }
        view.post { log("between") }
        return fetch(4)
    }

    suspend fun named(): Int {
        val first = withContext(io) {
            log("named one")
            work(1)
        }
        val second = withContext(io) {
            log("named two")
            work(2)
        }
        val (third, fourth) = withContext(main) {
            log("parted")
            work(1) to work(2)
        }
        return first + second + third + fourth
    }

    suspend fun assigned(view: View) {
        var text = ""
        text = withContext(io) {
            log("assigned")
            fetch(1)
        }
        view.text = withContext(main) {
            log("property")
            fetch(2)
        }
        log(text)
    }

    fun start() {
        scope.launch {
            log("start")
            withContext(io) {
                log("inner one")
            }
            withContext(main) {
                log("inner two")
                launch {
                    log("innermost")
                }
            }
        }
        scope.launch(io) {
            log("start again")
        }
    }

    fun startAll(ids: List<Int>): Job {
        for (id in ids) {
            scope.launch {
                log("for $id")
            }
        }
        ids.forEach { id ->
            scope.launch {
                log("each $id")
                withContext(io) { fetch(id) }
            }
        }
        ids.map { scope.async { fetch(it) } }
        var n = 0
        while (n < 3) {
            val job = scope.launch {
                log("while")
            }
            n++
            job.cancel()
        }
        return scope.launch {
            log("last")
        }
    }

    suspend fun all(ids: List<Int>): List<String> = coroutineScope {
        val jobs = ids.map { id ->
            async {
                log("async")
                fetch(id)
            }
        }
        val more: Deferred<String> = async(io) {
            log("more")
            fetch(9)
        }
        jobs.awaitAll() + more.await()
    }

    suspend fun locked() {
        mutex.withLock {
            log("locked")
            withContext(io) { log("locked block") }
        }
        mutex.withLock {
            log("locked again")
            withContext(main) { log("locked second") }
        }
    }

    suspend fun caught() {
        try {
            withTimeout(10) {
                log("try")
                fetch(1)
            }
        } catch (e: Exception) {
            withContext(main) {
                log("catch")
            }
        } finally {
            withContext(io) {
                log("finally")
            }
        }
    }

    suspend fun branches(n: Int) {
        when (n) {
            1 -> withContext(io) { log("when one") }
            2 -> withContext(main) {
                log("when two")
            }
            else -> if (n > 5) withContext(io) { log("when if") } else withContext(io) { log("when else") }
        }
        pause()
    }

    suspend fun waited(view: View): Int {
        log("wait")
        return suspendCancellableCoroutine { continuation ->
            view.listen(Listener { continuation.resume(it) })
            continuation.invokeOnCancellation {
                log("cancelled")
                view.listener = null
            }
        }
    }

    suspend fun waitedObject(view: View): String = suspendCancellableCoroutine { continuation ->
        val callback = object : Callback {
            override fun onDone(text: String) {
                log("done")
                continuation.resume(text)
            }

            override fun onFail() {
                log("fail")
            }
        }
        view.listen(callback)
    }

    suspend fun defaults(id: Int = work(1), text: String = fetchNow { log("default") }): String {
        withContext(io) { log(text) }
        return fetch(id)
    }

    private fun fetchNow(block: () -> Unit): String {
        block()
        return ""
    }

    suspend fun callsDefaults() {
        defaults()
        defaults(2)
    }

    suspend fun localSuspend() {
        suspend fun inner(n: Int) {
            withContext(io) {
                log("local $n")
            }
            log("after local")
        }
        inner(1)
        withContext(main) {
            log("after")
        }
        inner(2)
    }

    suspend fun nestedNames(view: View) {
        withContext(io) {
            view.post {
                log("in block")
                view.post { log("deep") }
            }
            val handler = { n: Int -> log("handler $n") }
            handler(1)
            withContext(main) {
                log("deep block")
                view.post { log("deeper") }
            }
        }
    }

    suspend fun elvis(text: String?) {
        val result = text ?: withContext(io) {
            log("elvis")
            fetch(1)
        }
        result.let {
            withContext(main) { log("let $it") }
        }
        result.also { withContext(main) { log("also") } }
    }

    suspend fun String.extended() {
        withContext(io) { log(this@extended) }
        withContext(io) { log("second " + this@extended) }
    }

    suspend fun <T> generic(value: T, block: suspend (T) -> Unit) {
        block(value)
        withContext(io) { block(value) }
        log("generic")
    }

    suspend fun callsGeneric() {
        generic("a") { log("passed $it") }
        generic(1) { n ->
            pause()
            log("passed number $n")
        }
    }

    val property: suspend () -> Unit = {
        log("property")
        pause()
    }

    var other: suspend (Int) -> Int = { n ->
        log("other")
        work(n)
    }

    init {
        scope.launch { log("init") }
        scope.launch {
            log("init again")
            withContext(io) { log("init inner") }
        }
    }

    companion object {
        suspend fun create(scope: CoroutineScope): Repository {
            withContext(io) { log("create") }
            withContext(main) { log("create again") }
            return Repository(scope)
        }

        val shared: suspend () -> Unit = { log("shared") }

        fun launchShared(scope: CoroutineScope) {
            scope.launch { log("companion") }
            scope.launch { log("companion again") }
        }
    }
}

/** Overloads share their names, and so the numbers of their blocks. */
class Overloads(private val scope: CoroutineScope) {
    suspend fun load(n: Int) {
        withContext(io) { log("int one") }
        withContext(io) { log("int two") }
    }

    suspend fun load(text: String) {
        withContext(io) { log("text one") }
        withContext(io) { log("text two") }
    }

    fun start(n: Int) {
        scope.launch { log("start int $n") }
    }

    fun start(text: String) {
        scope.launch { log("start text $text") }
        scope.launch { log("start text again $text") }
    }
}

abstract class Base {
    open suspend fun open() {
        withContext(io) { log("open") }
        withContext(io) { log("open again") }
    }

    abstract suspend fun closed()

    protected open suspend fun guarded(): Int {
        pause()
        return work(1)
    }
}

class Derived : Base() {
    override suspend fun open() {
        super.open()
        withContext(io) { log("derived") }
    }

    override suspend fun closed() {
        withContext(main) {
            log("closed")
            guarded()
        }
        withContext(io) { super.open() }
    }
}

interface Store {
    suspend fun get(id: Int): String {
        withContext(io) { log("store") }
        return fetch(id)
    }

    suspend fun put(text: String)
}

object Memory : Store {
    private val texts = ArrayList<String>()

    override suspend fun put(text: String) {
        withContext(io) {
            texts.add(text)
        }
        withContext(main) {
            texts.add("again")
        }
    }
}

suspend fun topLevel() {
    withContext(io) { log("top") }
    withContext(main) { log("top again") }
    coroutineScope {
        launch { log("top launch") }
        launch { log("top launch again") }
    }
}

fun runTop(scope: CoroutineScope) = scope.launch {
    topLevel()
    log("run top")
}

private suspend fun privateTop(): String {
    val first = fetch(1)
    val second = withContext(io) { fetch(2) }
    return first + second
}

suspend fun callsPrivate(scope: CoroutineScope) {
    scope.launch { log(privateTop()) }
    log(privateTop())
}
