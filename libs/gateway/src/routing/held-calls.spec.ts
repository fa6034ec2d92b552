import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { Upstreams } from './upstreams.js';

it('waits for a replica that stands still beyond any held answer (rule L7), and gives up before callers do, at 60 s', async () => {
  // before the client's first timer, which it keeps for all its calls
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const upstreams = new Upstreams({ s: [address] }, new ManualClock(), { heartbeatSeconds: 15 });
  let outcome = 'none yet';
  try {
    const reached = once(silent, 'request');
    const write = { method: 'POST', path: '/v1/agents', headers: {}, body: Buffer.from('{}'), isRepeatable: false };
    upstreams.send('s', write, 'unary').catch((error: unknown) => {
      outcome = String(error);
    });
    await reached;
    await jest.advanceTimersByTimeAsync(50_000);
    expect(outcome).toBe('none yet');
    await jest.advanceTimersByTimeAsync(9_000);
    jest.useRealTimers();
    await eventually('it is given up', () => outcome !== 'none yet');
    expect(outcome).toContain('s does not answer');
  } finally {
    jest.useRealTimers();
    await upstreams.close();
    silent.closeAllConnections();
    silent.close();
  }
});
