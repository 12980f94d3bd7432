package app

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.channels.awaitClose
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.consumeEach
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.flow.MutableSharedFlow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.SharingStarted
import kotlinx.coroutines.flow.callbackFlow
import kotlinx.coroutines.flow.catch
import kotlinx.coroutines.flow.collectLatest
import kotlinx.coroutines.flow.combine
import kotlinx.coroutines.flow.filter
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flatMapLatest
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.launchIn
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.stateIn
import kotlinx.coroutines.flow.transform
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch
import kotlinx.coroutines.selects.select
import kotlinx.coroutines.withContext

class Model(private val scope: CoroutineScope) {
    private val state = MutableStateFlow(0)
    private val events = MutableSharedFlow<String>()

    val texts: Flow<String> = state
        .map { n ->
            log("map")
            "text $n"
        }
        .onEach {
            log("on each")
        }

    val shared = flow {
        log("flow")
        emit(work(1))
        emit(work(2))
    }.stateIn(scope, SharingStarted.Eagerly, 0)

    val combined = combine(state, events) { n, text ->
        log("combine")
        text + n
    }

    fun numbers(): Flow<Int> = flow {
        log("numbers")
        for (i in 0 until 3) {
            emit(work(i))
            pause()
        }
    }

    fun chain() = numbers()
        .filter {
            log("filter")
            it > 1
        }
        .map { work(it) }
        .transform { n ->
            log("transform")
            emit(n)
            emit(n + 1)
        }
        .catch { e ->
            log("catch ${e.message}")
            emit(0)
        }

    suspend fun collectOnce() {
        numbers().collect { n ->
            log("collect $n")
        }
    }

    suspend fun collectTwice() {
        numbers().collect {
            log("first")
        }
        numbers().collect {
            log("second")
            pause()
        }
        log("collected")
    }

    suspend fun collectWith(view: View) {
        val collector = FlowCollector<Int> { n ->
            log("collector $n")
            view.text = "$n"
        }
        numbers().collect(collector)
        numbers().map { work(it) }.filter { it > 1 }.collect { log("mapped $it") }
    }

    fun observe(view: View) {
        texts.onEach { view.text = it }.launchIn(scope)
        scope.launch {
            state.collect {
                log("state")
                view.text = "$it"
            }
        }
        scope.launch {
            texts.collectLatest { text ->
                log("latest")
                withContext(io) { log(text) }
            }
        }
        scope.launch {
            launch { events.collect { log("event one") } }
            launch {
                events.collect {
                    log("event two")
                }
            }
        }
    }

    fun listened(view: View): Flow<Int> = callbackFlow {
        val listener = Listener { n ->
            log("listened")
            trySend(n)
        }
        view.listen(listener)
        awaitClose {
            log("closed")
            view.listener = null
        }
    }

    fun switched() = state.flatMapLatest { n ->
        log("switched")
        flow {
            log("switched flow")
            emit(n)
        }
    }

    suspend fun firsts(): Int {
        val one = numbers().first { it > 1 }
        val two = numbers().map {
            log("mapped")
            work(it)
        }.first()
        state.update { work(it) }
        return one + two
    }

    suspend fun channels() {
        val channel = Channel<Int>()
        scope.launch {
            for (i in 0..3) {
                channel.send(i)
                log("sent")
            }
            channel.close()
        }
        for (n in channel) {
            log("received $n")
        }
        channel.consumeEach { log("each") }
        select<Unit> {
            channel.onReceiveCatching {
                log("selected")
            }
        }
    }
}
