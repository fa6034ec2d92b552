import { Metrics, PinoLog } from './index.js';
import type { LogFields } from './index.js';

describe('the log', () => {
  it('lets only named fields through', () => {
    const lines: string[] = [];
    const log = PinoLog.create({
      app: 'x',
      level: 'info',
      pretty: false,
      destination: {
        write: (line: string) => {
          lines.push(line);
        },
      },
    });
    const fields = {
      request_id: 'r',
      duration_ms: 5,
      headers: { authorization: 'canary' },
      body: 'canary',
      authorization: 'canary',
      session_id: { deep: 'canary' },
    };
    log.with({ org_id: 'o' }).info('hello', fields as unknown as LogFields);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      app: 'x',
      org_id: 'o',
      request_id: 'r',
      duration_ms: 5,
      msg: 'hello',
    });
    const cause = Object.assign(new Error('inner'), { response: { body: 'canary' } });
    log.error('bad', { error: Object.assign(new TypeError('outer', { cause }), { code: 'E_X', request: 'canary' }) });
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({
      error: { name: 'TypeError', message: 'outer', code: 'E_X', cause: { message: 'inner' } },
    });
    expect(lines.join('')).not.toContain('canary');
  });
});

describe('metrics', () => {
  it('give one measure for one name, as Prometheus text', async () => {
    const metrics = new Metrics();
    metrics.counter('c_total', 'C.', ['kind']).add({ kind: 'a' });
    metrics.counter('c_total', 'C.', ['kind']).add({ kind: 'a' }, 2);
    metrics.gauge('g', 'G.').set(4);
    metrics.observedGauge('o', 'O.', () => 7);
    metrics.histogram('h_seconds', 'H.').observe(0.003);
    const text = await metrics.text();
    for (const line of ['c_total{kind="a"} 3', 'g 4', 'o 7', 'h_seconds_bucket{le="0.005"} 1'])
      expect(text).toContain(line);
  });

  it('give a counter that its owner keeps as it stands when it is asked for', async () => {
    const metrics = new Metrics();
    const sums = new Map([['a', 1]]);
    metrics.observedCounter('k_total', 'K.', ['kind'], () => [...sums].map(([kind, sum]) => [{ kind }, sum] as const));
    expect(await metrics.text()).toContain('k_total{kind="a"} 1');
    sums.set('a', 3).set('b', 2);
    const text = await metrics.text();
    for (const line of ['k_total{kind="a"} 3', 'k_total{kind="b"} 2']) expect(text).toContain(line);
  });
});
