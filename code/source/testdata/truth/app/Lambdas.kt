package app

import java.io.File
import java.util.concurrent.Callable
import java.util.concurrent.Executor
import kotlin.properties.Delegates

class Screen(private val view: View, private val executor: Executor) {
    private val lazyText by lazy {
        log("lazy")
        "text"
    }
    private val lazyMore: String by lazy(LazyThreadSafetyMode.NONE) {
        log("lazy more")
        lazyText + "more"
    }
    var observed: Int by Delegates.observable(0) { _, old, new ->
        log("observed $old $new")
    }
    private val handler: (Int) -> Unit = { n ->
        log("handler $n")
    }
    private val listener = Listener { n ->
        log("listener $n")
    }
    private val task = Runnable {
        log("task")
    }
    private val callback = object : Callback {
        override fun onDone(text: String) {
            log("field object")
            view.post { log("in field object") }
        }
    }
    private val getter: String
        get() {
            view.post { log("getter") }
            return listOf("a").joinToString { it + work(1) }
        }
    var setter: String = ""
        set(value) {
            view.post { log("setter") }
            field = value
        }

    init {
        view.post { log("init") }
        view.listen(object : Callback {
            override fun onDone(text: String) {
                log("init object")
            }
        })
        view.post {
            log("init again")
            view.post { log("init nested") }
        }
    }

    constructor(view: View) : this(view, Executor { it.run() }) {
        view.post { log("secondary") }
    }

    fun several() {
        view.post { log("one") }
        view.post {
            log("two")
            mark()
        }
        executor.execute { log("three") }
        executor.execute(Runnable { log("four") })
        view.listen(Listener { n -> log("five $n") })
        view.listen { n -> log("six $n") }
        view.post(1) { log("seven") }
        view.post(block = { log("eight") }, delay = 2)
    }

    fun nested() {
        view.post {
            log("outer")
            view.post {
                log("middle")
                view.post { log("inner") }
            }
            view.post { log("middle again") }
        }
        view.post {
            log("outer again")
            view.post { log("middle third") }
        }
    }

    fun objects() {
        view.listen(object : Callback {
            override fun onDone(text: String) {
                log("object one")
            }

            override fun onFail() {
                log("object fail")
            }
        })
        view.post { log("between objects") }
        view.listen(object : Callback {
            override fun onDone(text: String) {
                log("object two")
                view.post { log("in object two") }
                view.listen(object : Callback {
                    override fun onDone(text: String) {
                        log("object in object")
                    }
                })
            }
        })
        val named = object : Callback {
            override fun onDone(text: String) {
                log("object named")
            }
        }
        view.listen(named)
        view.post { log("after objects") }
    }

    fun objectsAndLambdas() {
        view.post {
            view.listen(object : Callback {
                override fun onDone(text: String) {
                    log("object in lambda")
                    view.post { log("lambda in object in lambda") }
                }
            })
            view.post { log("lambda beside object") }
        }
        val local = { n: Int ->
            view.listen(object : Callback {
                override fun onDone(text: String) {
                    log("object in named lambda $n")
                }
            })
        }
        local(1)
        view.post { log("lambda after named") }
    }

    fun inlined(texts: List<String>) {
        texts.forEach {
            log("for each $it")
            view.post { log("in for each") }
        }
        texts.forEach { view.post { log("in for each again") } }
        view.apply {
            post { log("in apply") }
            listen(object : Callback {
                override fun onDone(text: String) {
                    log("object in apply")
                }
            })
        }
        view.let { v ->
            v.post { log("in let") }
            v.also { w -> w.post { log("in also in let") } }
        }
        val result = texts.map { text ->
            view.post { log("in map") }
            text.length
        }
        measured {
            view.post { log("in measured") }
        }
        run {
            log("run")
            view.post { log("in run $result") }
        }
        view.post { log("after all") }
    }

    fun inlinedObjects(texts: List<String>) {
        val sorted = texts.sortedBy { it.length + work(1) }
        val more = texts.sortedByDescending { work(it.length) }
        val most = texts.maxByOrNull { work(it.length) }
        log("$sorted $more $most")
        texts.sortedWith(compareBy({ it.length }, { work(it.length) }))
        val grouped = texts.groupingBy { work(it.length) }.eachCount()
        log("$grouped")
    }

    fun crossinlined() {
        view.listen(crossed { n ->
            log("crossed $n")
        })
        view.listen(crossed {
            log("crossed again")
            view.post { log("in crossed") }
        })
        crossedLambda(view) {
            log("crossed lambda")
        }
        crossedLambda(view) {
            log("crossed lambda again")
        }
        view.post { log("after crossed") }
    }

    fun noinlined() {
        val block = kept({ log("kept") }) {
            log("also kept")
            view.post { log("in kept") }
        }
        block()
        kept({ log("kept again") }, { log("and also") })
        view.post { log("after kept") }
    }

    fun locals() {
        fun inner(n: Int) {
            log("inner $n")
            view.post { log("in inner") }
            fun innermost() {
                log("innermost")
                view.post { log("in innermost") }
            }
            innermost()
        }
        fun second() {
            log("second")
            view.post { log("in second") }
        }
        inner(1)
        second()
        view.post { inner(2) }
        class Local(val n: Int) {
            fun run() {
                log("local class $n")
                view.post { log("in local class") }
            }
        }
        Local(1).run()
        val anonymous = fun(n: Int): Int {
            log("anonymous function")
            return work(n)
        }
        anonymous(1)
        listOf(1).map(fun(n: Int): Int {
            log("passed function")
            return n
        })
    }

    fun references(texts: List<String>) {
        texts.forEach(::log)
        view.post(::mark)
        view.post(this::several)
        val lengths = texts.map(String::length)
        view.post { log("after references $lengths") }
        val make: (String) -> File = ::File
        log(make("a").name)
        val property = Screen::observed
        log("${property.get(this)}")
        view.post { log("after all references") }
        view.listen(Listener(this::changed))
        executor.execute(::mark)
    }

    private fun changed(n: Int) = log("changed $n")

    fun branches(n: Int) {
        if (n > 1) {
            view.post { log("if") }
        } else {
            view.post { log("else") }
        }
        when {
            n > 3 -> view.post { log("when one") }
            n > 2 -> {
                view.post { log("when two") }
                view.post { log("when three") }
            }
            else -> view.post { log("when else") }
        }
        val block = if (n > 5) ({ log("block one") }) else ({ log("block two") })
        view.post(block)
        val chosen: () -> Unit = when (n) {
            1 -> { { log("chosen one") } }
            else -> { { log("chosen two") } }
        }
        view.post(chosen)
        try {
            view.post { log("try") }
        } catch (e: IllegalStateException) {
            view.post { log("catch") }
        } finally {
            view.post { log("finally") }
        }
        for (i in 0..n) view.post { log("for $i") }
        do {
            view.post { log("do") }
        } while (n > 100)
    }

    fun defaults(n: Int = work(1), block: () -> Unit = { log("default block") }, text: String = "a") {
        log(text)
        view.post { log("in defaults $n") }
        view.post(block)
    }

    fun callsDefaults() {
        defaults()
        defaults(2)
        defaults(text = "b")
    }

    fun returned(): () -> Unit {
        log("returned")
        return { log("returned block") }
    }

    fun expression(): () -> Unit = { log("expression block") }

    fun arguments() {
        two({ log("first argument") }, { log("second argument") })
        two({ log("third argument") }) { log("fourth argument") }
        two(
            first = {
                log("named argument")
            },
            second = {
                log("named argument again")
            },
        )
    }

    private fun two(first: () -> Unit, second: () -> Unit) {
        first()
        second()
    }

    fun chains(texts: List<String>): String {
        view.apply { text = "a" }
            .also { it.post { log("chain one") } }
            .run { post { log("chain two") } }
        return texts
            .filter { it.isNotEmpty() }
            .map { it.trim() + work(1) }
            .joinToString(separator = ",") { it.uppercase() + work(2) }
    }

    fun sequences(): Sequence<Int> = sequence {
        log("sequence")
        yield(work(1))
        yieldAll(listOf(1).map { work(it) })
    }.map {
        log("sequence map")
        work(it)
    }

    fun files(file: File): Int {
        file.bufferedReader().use { reader ->
            log("use")
            view.post { log("in use") }
            return reader.readLine().length
        }
    }

    fun callable(): Callable<Int> = Callable {
        log("callable")
        work(3)
    }

    fun threads() {
        Thread { log("thread") }.start()
        Thread(Runnable { log("runnable thread") }).start()
        kotlin.concurrent.thread { log("kotlin thread") }
        object : Thread() {
            override fun run() {
                log("object thread")
            }
        }.start()
    }

    inner class Inner {
        private val block = { log("inner block") }

        fun run() {
            view.post { log("inner run") }
            view.post(block)
        }
    }

    companion object {
        private val shared = { log("companion block") }
        private val lazyShared by lazy { log("companion lazy") }

        init {
            shared()
            log("companion init")
        }

        fun create(view: View): Screen {
            view.post { log("create") }
            view.post(shared)
            lazyShared
            return Screen(view) { it.run() }
        }

        @JvmStatic
        fun static(view: View) {
            view.post { log("static") }
        }
    }
}

enum class Mode(val block: () -> Unit) {
    FAST({ log("fast") }),
    SLOW({ log("slow") }) {
        override fun run() {
            log("slow run")
            View().post { log("in slow run") }
        }
    };

    open fun run() {
        log("run")
        View().post { log("in run") }
    }
}

object Registry {
    private val blocks = ArrayList<() -> Unit>()

    init {
        blocks.add { log("registry init") }
    }

    val first = blocks.add { log("registry property") }

    fun register() {
        blocks.add { log("registered") }
        blocks.add { log("registered again") }
    }
}

data class Item(val id: Int, val text: String = "item ${work(1)}") {
    val length by lazy { text.length + work(2) }

    fun matches(other: String) = text.equals(other, ignoreCase = true) || id == other.length
}

sealed class Result {
    abstract fun show(view: View)

    class Good(val text: String) : Result() {
        override fun show(view: View) {
            view.post { log("good") }
            view.text = text
        }
    }

    object Bad : Result() {
        override fun show(view: View) {
            view.post { log("bad") }
            view.text = "bad"
        }
    }
}

val topBlock: () -> Unit = { log("top block") }
val topLazy by lazy {
    log("top lazy")
    work(1)
}

fun top(view: View) {
    view.post { log("top") }
    view.post { log("top again") }
    view.listen(object : Callback {
        override fun onDone(text: String) {
            log("top object")
        }
    })
}

fun View.extension(block: () -> Unit) {
    post { block() }
    post {
        log("extension")
        block()
    }
}

fun <T> generic(value: T, view: View): T {
    view.post { log("generic $value") }
    return value.also { view.post { log("generic also") } }
}

class Locals(private val view: View) {
    fun delegates(): Int {
        val once by lazy {
            log("once")
            1
        }
        view.post { log("after once $once") }
        var changing by Delegates.notNull<Int>()
        changing = 2
        view.post { log("after changing $changing") }
        return once + changing
    }
}
