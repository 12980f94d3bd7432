// Records page.html as the performance panel of Chrome does. Usage: trace.mjs PAGE OUT PROFILE.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const [page, out, profile] = process.argv.slice(2);
const browser = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', `--user-data-dir=${profile}`,
  '--remote-debugging-port=0', 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
const end = setTimeout(() => { browser.kill(); process.exit(1); }, 60000);
const address = await new Promise(found => browser.stderr.on('data', text => {
  const m = /ws:\/\/\S+/.exec(text);
  if (m) found(m[0]);
}));

const socket = new WebSocket(address);
await new Promise(open => socket.addEventListener('open', open));
let last = 0;
const answers = new Map(), events = [], waiting = new Map();
socket.addEventListener('message', ({ data }) => {
  const m = JSON.parse(data);
  if (m.id) answers.get(m.id)(m.result ?? {});
  if (m.method === 'Tracing.dataCollected') events.push(...m.params.value);
  waiting.get(m.method)?.(m.params);
});
const call = (method, params, sessionId) => new Promise(done => {
  answers.set(++last, done);
  socket.send(JSON.stringify({ id: last, method, params, sessionId }));
});
const event = method => new Promise(done => waiting.set(method, done));

const { targetId } = await call('Target.createTarget', { url: 'about:blank' });
const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
await call('Page.enable', {}, sessionId);
const loaded = event('Page.loadEventFired');
await call('Page.navigate', { url: page + '#wait' }, sessionId);
await loaded;
await call('Tracing.start', { traceConfig: { excludedCategories: ['*'], includedCategories: [
  'devtools.timeline', 'v8.execute', 'disabled-by-default-devtools.timeline', 'disabled-by-default-devtools.timeline.stack',
  'disabled-by-default-v8.cpu_profiler'] } });
const { result } = await call('Runtime.evaluate', { expression: 'work()' }, sessionId);
await new Promise(done => setTimeout(done, 300));
await call('Runtime.evaluate', { expression: '1' }, sessionId);
const complete = event('Tracing.tracingComplete');
await call('Tracing.end');
await complete;
writeFileSync(out, JSON.stringify({ traceEvents: events }));
if (process.env.WORK_TIMES)
  writeFileSync(process.env.WORK_TIMES, `0 ${Math.round(Number(result.value) * 1e6)} 0\n`);
clearTimeout(end);
browser.on('exit', () => process.exit(0));
await call('Browser.close');
