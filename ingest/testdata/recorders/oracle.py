#!/usr/bin/env python3
"""Read recordings with the programs of their recorders, not with diffprof, and write matrix.json.

Usage: oracle.py ROWS.tsv > matrix.json, in the folder of the recordings. A row has the columns
recorder, version, options, file, kind, reader, remark and command, separated by tabs. A row
without a file was read from files of others only. times.tsv has the day of each recording and what
the program measured itself: the processor time and the elapsed time of its work, and the processor
time of its process. Recordings in large/ are in the folder that LARGE names. If one of them or a
reader is absent, its figures stay as they are in matrix.json.
"""
import collections, datetime, gzip, json, os, re, shutil, subprocess, sys, tempfile

JFR = os.environ.get('JFR', 'jfr')


# Functions of Go in which a goroutine waits.
WAITS = ('runtime.gopark', 'runtime.notetsleepg')

# The ends of the names of functions of glibc in which a thread waits.
FUTEX = ('__futex_abstimed_wait_common', '__lll_lock_wait')


def data(path):
    b = open(path, 'rb').read()
    if b[:4] == b'\x28\xb5\x2f\xfd':
        return subprocess.run(['zstd', '-dc', path], capture_output=True, check=True).stdout
    return gzip.decompress(b) if b[:2] == b'\x1f\x8b' else b


def plain(path):
    """The path of the decompressed file."""
    f = tempfile.NamedTemporaryFile(delete=False, suffix='.jfr')
    f.write(data(path))
    f.close()
    return f.name


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors='replace', check=True).stdout


def key(name):
    """A function without its module, arguments and script."""
    name = name.split('`')[-1]
    name = re.sub(r' \(.*$', '', name)
    return re.sub(r'\(.*$', '', name) if not name.startswith('(') else name


def nanoseconds(text):
    number, _, unit = text.partition(' ')
    return int(number) * {'': 1, 'ns': 1, 'us': 1000, 'ms': 10**6, 's': 10**9}[unit]


def moment(text):
    """The nanoseconds since 1970 of a moment as jfr print writes it."""
    m = re.match(r'(.*?)(\.\d+)?(Z|[+-]\d\d:\d\d)$', text)
    seconds = datetime.datetime.fromisoformat(m[1] + m[3].replace('Z', '+00:00')).timestamp()
    return int(seconds) * 10**9 + int((m[2] or '.0')[1:].ljust(9, '0'))


def more(a, b):
    """Whether a time exceeds another by more than chance explains."""
    return a > b + b // 8 + 10**8


def calibrated(path, samples, each, changed=0):
    """The worth of the JVM's samples, so that their sum is at most the processor time that the JVM
    measured between its first and its last measurement. Samples are counted in tenths of a second.
    changed is by how much the measurements of threads changed the time of samples."""
    events = json.loads(run(JFR, 'print', '--json', '--events', 'jdk.CPULoad,jdk.CPUInformation', path))['recording']['events']
    cores = [e['values']['hwThreads'] for e in events if e['type'] == 'jdk.CPUInformation']
    loads = sorted((moment(e['values']['startTime']), e['values']['jvmUser'] + e['values']['jvmSystem']) for e in events if e['type'] == 'jdk.CPULoad')
    if not cores or len(loads) < 2 or loads[-1][0] - loads[0][0] < 10**9:
        return each
    used = int(sum(share * cores[-1] * (at - before) for (before, _), (at, share) in zip(loads, loads[1:])))
    bins = ((moment(s['startTime']) // 10**8, s.get('samples', 1)) for s in samples if s['state'] == 'STATE_RUNNABLE')
    sampled = changed + sum(each * n for at, n in bins if at * 10**8 >= loads[0][0] and (at + 1) * 10**8 <= loads[-1][0])
    if used == 0 or not more(sampled, used):
        return each
    return each * used // sampled


def by_thread(path, samples, each):
    """The worth of the samples of each thread of which the JVM measured the processor time, by name,
    and by how much the sum of all samples differs from their number times each. A measurement is for
    the time since the one before, or since the start of the thread. Threads with less than a second
    or twenty samples have one worth."""
    events = json.loads(run(JFR, 'print', '--json', '--events', 'jdk.ThreadCPULoad,jdk.ThreadStart,jdk.CPUInformation,jdk.NativeMethodSample', path))['recording']['events']
    cores = [e['values']['hwThreads'] for e in events if e['type'] == 'jdk.CPUInformation']
    loads, native, system = collections.defaultdict(list), collections.Counter(), set()
    for e in events:
        v = e['values']
        if e['type'] == 'jdk.ThreadCPULoad':
            loads[called(v['eventThread'])].append((moment(v['startTime']), v['user'] + v['system']))
            if ((v['eventThread'] or {}).get('group') or {}).get('name') == 'system':
                system.add(called(v['eventThread']))
        elif e['type'] == 'jdk.ThreadStart':
            loads[called(v['thread'])].append((moment(v['startTime']), 0))
        elif e['type'] == 'jdk.NativeMethodSample':
            native[called(v['sampledThread'])] += 1
    groups, short = [], []
    for thread, at in loads.items():
        at.sort()
        first, last = at[0][0], at[-1][0]
        if not cores or last == first:
            continue
        used = sum(min(share * cores[-1], 1) * (t - before) for (before, _), (t, share) in zip(at, at[1:]))
        here = [(moment(s['startTime']) // 10**8 * 10**8, s.get('samples', 1)) for s in samples
                if s['state'] == 'STATE_RUNNABLE' and called(s['sampledThread']) == thread]
        inside = sum(n for t, n in here if t + 10**8 > first and t < last)
        if used == 0 or 2 * inside < sum(n for _, n in here) or inside == 0 and thread in system:
            continue
        (groups if inside >= 20 and last - first >= 10**9 else short).append([(thread, used, inside)])
    short = [of for one in short for of in one]
    if sum(inside for _, _, inside in short) >= 20:
        groups.append(short)
    worth, changed = {}, 0
    for group in groups:
        used, inside = sum(int(of[1]) for of in group), sum(of[2] for of in group)
        few = sum(native[of[0]] for of in group) * 10 <= inside
        value = each
        if more(inside * each, used) or more(used, inside * each) and few:
            value = each * used // (inside * each)
            changed += used - inside * each
        for thread, _, _ in group:
            worth[thread] = value
    return worth, changed


def called(thread):
    return (thread or {}).get('javaName') or (thread or {}).get('osName')


def jfr(path, event):
    """jfr print: the samples of an event, each worth the interval of the settings."""
    path = plain(path)
    event, _, state = event.partition('/')
    events = json.loads(run(JFR, 'print', '--json', '--stack-depth', '200', '--events', event + ',jdk.ActiveSetting', path))['recording']['events']
    settings, found, top, worth = {}, 0, collections.Counter(), {}
    samples = [e['values'] for e in events if e['type'] == event]
    for e in events:
        if e['type'] == 'jdk.ActiveSetting':
            settings.setdefault(e['values']['name'], []).append(e['values']['value'])
    if event == 'profiler.WallClockSample':
        each = int(settings.get('wall', ['-1'])[0])
        if each < 0:
            each = int(settings['interval'][0])
    elif event == 'jdk.CPUTimeSample':
        each = None
    elif 'event' in settings:
        each = int(settings['interval'][0]) or 10**7
    else:
        text = run(JFR, 'print', '--events', 'jdk.ActiveSetting', path)
        ids = json.loads(run(JFR, 'print', '--json', '--events', 'jdk.ActiveSetting', path))['recording']['events']
        periods = [e['values']['value'] for e in ids if e['values']['name'] == 'period']
        period = nanoseconds(next(p for p in periods if p in ('10 ms', '20 ms')))
        worth, changed = by_thread(path, samples, period)
        each = calibrated(path, samples, period, changed)
    # Where samples of elapsed time count more than the JVM used, the innermost function decides.
    doubtful = state == 'STATE_RUNNABLE' and calibrated(path, samples, each) != each
    total = 0
    for s in samples:
        n = s.get('samples', 1)
        if s.get('failed') or state and s['state'] != state:
            continue
        if each is None:
            p = s['samplingPeriod']
            m = re.match(r'PT([\d.]+)S', p)
            value = round(float(m[1]) * 10**9) if m else 0
        else:
            value = n * worth.get(called(s.get('sampledThread')), each)
        frames = (s.get('stackTrace') or {}).get('frames') or []
        name = '[none]'
        if frames:
            m = frames[0]['method']
            kind = m['type']['name'].replace('/', '.')
            # async-profiler writes the library of native code as its class.
            name = m['name'] if not kind or '.so' in kind else kind + '.' + m['name']
        if doubtful and name.endswith(FUTEX):
            continue
        found += 1
        total += value
        top[key(name)] += value
    return found, total, top


def pprof(path, kind):
    """go tool pprof -raw: the samples with the values of a kind, the second one by default."""
    found, total, top, names, section = 0, 0, collections.Counter(), {}, ''
    samples, at = [], 1
    if path.endswith('.zst'):
        path = plain(path)
    for line in run('go', 'tool', 'pprof', '-raw', path).splitlines():
        if kind and line.startswith(kind + '/') or kind and ' ' + kind + '/' in line and '/count' in line:
            at = [w.split('/')[0] for w in line.split()].index(kind)
        if re.match(r'^(Samples|Locations|Mappings)', line):
            section = line
        elif section.startswith('Samples') and re.match(r'^ *-?\d+( +-?\d+)+:', line):
            values, _, ids = line.partition(':')
            values = values.split()
            # Samples without a number count as one.
            samples.append((int(values[0]) if at == 1 and not kind.startswith('cpu') else 1, int(values[at]), ids.split()))
        elif section.startswith('Locations'):
            m = re.match(r'^ *(\d+): 0x[0-9a-f]+ M=\d+ (\S+)', line)
            if m:
                names[m[1]] = m[2]
    for count, value, ids in samples:
        if kind == 'time' and names.get(ids[0], '?') in WAITS:
            continue
        found += count
        total += value
        top[key(names.get(ids[0], '?'))] += value
    return found, total, top


def v8(path, _):
    """The nodes of V8's profiles, each sample worth the time to the next."""
    d = json.loads(data(path))
    profiles = {}
    if isinstance(d, dict) and 'nodes' in d:
        profiles[0] = [d['nodes'], d['samples'], d['timeDeltas'], d['startTime'], d.get('endTime')]
    else:
        for e in d if isinstance(d, list) else d['traceEvents']:
            if e.get('name') in ('Profile', 'ProfileChunk'):
                a = e['args'].get('data', {})
                p = profiles.setdefault((e['pid'], e.get('id')), [[], [], [], 0, None])
                c = a.get('cpuProfile', {})
                p[0] += c.get('nodes', [])
                p[1] += c.get('samples', [])
                p[2] += a.get('timeDeltas', [])
                p[3] = a.get('startTime', p[3])
                p[4] = c.get('endTime', a.get('endTime', p[4]))
    found, total, top = 0, 0, collections.Counter()
    for nodes, samples, deltas, now, end in profiles.values():
        names = {n['id']: n['callFrame']['functionName'] or '(anonymous)' for n in nodes}
        times = []
        for s, delta in zip(samples, deltas):
            now += delta
            times.append((now, s))
        times.sort(key=lambda t: t[0])
        for i, (at, s) in enumerate(times):
            until = times[i + 1][0] if i + 1 < len(times) else max(at, end or at)
            if names[s] in ('(idle)',):
                continue
            found += 1
            total += (until - at) * 1000
            top[key(names[s])] += (until - at) * 1000
    return found, total, top


def speedscope(path, _):
    """The weights of all profiles in the file."""
    d = json.loads(data(path))
    names = [f['name'] for f in d['shared']['frames']]
    found, total, top = 0, 0, collections.Counter()
    for p in d['profiles']:
        by = {'seconds': 1e9, 'milliseconds': 1e6, 'microseconds': 1e3, 'nanoseconds': 1}[p['unit']]
        if p['type'] == 'evented':
            stack, last = [], None
            for e in p['events']:
                if last is not None and stack:
                    value = round(e['at'] * by) - round(last * by)
                    total += value
                    top[key(names[stack[-1]])] += value
                last = e['at']
                if e['type'] == 'O':
                    stack.append(e['frame'])
                else:
                    stack.pop()
                found += 1
            continue
        for s, w in zip(p['samples'], p['weights']):
            found += 1
            total += round(w * by)
            if s:
                top[key(names[s[-1]])] += round(w * by)
    return found, total, top


def folded(path, _):
    """The lines' numbers."""
    found, total, top = 0, 0, collections.Counter()
    for line in data(path).decode().splitlines():
        stack, _, n = line.rpartition(' ')
        found += 1
        total += int(n)
        top[key(stack.split(';')[-1].replace('/', '.'))] += int(n)
    return found, total, top


def perf(path, suite):
    """perf script: the periods of the samples of a clock. An older perf does not read files of a newer
    one, so the suite names the Debian release whose perf reads them."""
    path, command = plain(path), ['perf']
    if suite:
        root = os.path.join(os.environ.get('LARGE', '.'), 'debian-' + suite)
        if not os.path.exists(root):
            raise FileNotFoundError('no perf of ' + suite)
        path, command = shutil.copy(path, root + '/tmp/perf.data') and '/tmp/perf.data', ['unshare', '-m', 'sh', '-c', 'mount --rbind /proc "$0/proc"; exec chroot "$0" perf "$@"', root]
    found, total, _ = lines(run(*command, 'script', '-i', path, '-F', 'comm,tid,event,period,ip,sym', '--no-inline'))
    # The file has no names of functions; perf takes them from the machine.
    return found, total, {}


def perfscript(path, _):
    """The lines of the text, with the period that the reader states."""
    return lines(data(path).decode())


def simpleperf(path, _):
    """simpleperf report-sample: the counts of the samples."""
    text = run(os.environ.get('SIMPLEPERF', 'simpleperf'), 'report-sample', '--show-callchain', '-i', plain(path))
    found, total, top, value = 0, 0, collections.Counter(), None
    for line in text.splitlines():
        field, _, word = line.strip().partition(': ')
        if field == 'event_count':
            value = int(word)
            found += 1
            total += value
        elif field == 'symbol' and value is not None:
            top[key(word)] += value
            value = None
    return found, total, top


def lines(text):
    found, total, top, value = 0, 0, collections.Counter(), None
    for line in text.splitlines():
        m = re.match(r'^\s*\S.*?\s(\d+)\s+(?:cpu|task)-clock\S*:', line) if not line.startswith('\t') else None
        if m:
            value = int(m[1])
            found += 1
            total += value
        elif value is not None and line.startswith('\t'):
            m = re.match(r'^\s*[0-9a-f]+ (.*)$', line)
            if m:
                top[key(re.sub(r'\+0x[0-9a-f]+', '', m[1]))] += value
                value = None
    return found, total, top


def firefox(path, _):
    """threadCPUDelta of all samples, as Firefox and samply write it."""
    d = json.loads(data(path))
    shared = d.get('shared', {})
    found, total, top = 0, 0, collections.Counter()

    def column(table, name):
        if 'schema' in table:
            i = table['schema'].get(name)
            return [r[i] if i is not None and i < len(r) else None for r in table['data']] if i is not None else None
        return table.get(name)

    def process(p):
        nonlocal found, total
        by = {'ns': 1, 'µs': 1000, 'us': 1000}.get((p['meta'].get('sampleUnits') or {}).get('threadCPUDelta'), 1000)
        for t in p['threads']:
            stacks = column(t['samples'], 'stack') or []
            cpu = column(t['samples'], 'threadCPUDelta') or [0] * len(stacks)
            found += len(stacks)
            get = lambda name: t.get(name) or shared.get(name)
            strings = get('stringTable') or get('stringArray')
            frames = column(get('stackTable'), 'frame')
            location = column(get('frameTable'), 'location')
            func = None if location else column(get('frameTable'), 'func')
            names = None if location else column(get('funcTable'), 'name')
            for s, c in zip(stacks, cpu):
                total += (c or 0) * by
                if s is None:
                    continue
                f = frames[s]
                top[key(strings[location[f]] if location else strings[names[func[f]]])] += (c or 0) * by
        for q in p.get('processes', []):
            process(q)

    process(d)
    return found, total, top


def slices(path, _):
    """The time of the complete events of a Chrome trace without the time of those within them."""
    d = json.loads(data(path))
    found, total, top = 0, 0, collections.Counter()
    threads = collections.defaultdict(list)
    for e in d if isinstance(d, list) else d['traceEvents']:
        if e['ph'] in 'BE':
            threads[e['pid'], e['tid']].append(e)
    for events in threads.values():
        stack, last = [], 0
        for e in events:
            if stack:
                total += (e['ts'] - last) * 1000
                top[key(stack[-1])] += (e['ts'] - last) * 1000
            last = e['ts']
            if e['ph'] == 'B':
                stack.append(e['name'])
            else:
                stack.pop()
            found += 1
    return found, round(total), {n: round(v) for n, v in top.items()}


def stackframes(path, _):
    """The samples of a Chrome trace with stackFrames. Each lasts to the next."""
    d = json.loads(data(path))
    frames, samples = d['stackFrames'], d['samples']
    total, top = 0, collections.Counter()
    for s, following in zip(samples, samples[1:]):
        value = (int(following['ts']) - int(s['ts'])) * 1000
        total += value
        top[key(frames[str(s['sf'])]['name'])] += value
    return len(samples), total, top


READERS = dict(jfr=jfr, pprof=pprof, v8=v8, speedscope=speedscope, folded=folded, perf=perf, simpleperf=simpleperf, perfscript=perfscript, firefox=firefox,
               slices=slices, stackframes=stackframes)

def read(path, kind):
    if not os.path.exists(path):
        raise FileNotFoundError('no recording')
    name, _, event = kind.partition(':')
    return READERS[name](path, event)


times = {}
for line in open('times.tsv'):
    path, date, *measured = line.split()
    times[path] = date, [int(n) for n in measured]
before = {r['file']: r for r in json.load(open('matrix.json')) if r.get('file')}

rows = []
for line in open(sys.argv[1]):
    if not line.strip() or line.startswith('#'):
        continue
    recorder, version, options, path, kind, reader, remark = (line.rstrip('\n').split('\t') + [''] * 7)[:7]
    row = dict(recorder=recorder, version=version, options=options)
    if remark:
        row['remark'] = remark
    at = os.path.join(os.environ.get('LARGE', '.'), path) if path.startswith('large/') else path
    if path:
        try:
            found, total, top = read(at, kind)
        except FileNotFoundError as e:
            # The recording or its reader is not on this machine.
            print('%s: %s: the figures stay as they were' % (path, e), file=sys.stderr)
            if path in before:
                rows.append(before[path])
            continue
        except Exception as e:
            sys.exit('%s: %r' % (path, e))
        best = sorted(top.items(), key=lambda kv: (-kv[1], kv[0]))[:5]
        row.update(file=path, reader=reader, samples=found, total=total, top=[dict(name=n, value=v) for n, v in best if v > 0])
        if path in times:
            date, measured = times[path]
            row['date'] = date
            if len(measured) == 3:
                row.update(zip(('worked', 'elapsed', 'process'), measured))
    rows.append(row)
json.dump(rows, sys.stdout, indent=1, ensure_ascii=False)
print()
