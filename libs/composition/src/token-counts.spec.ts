import 'reflect-metadata';
import { Socket } from 'node:net';
import { eventually } from '@aos/kernel/testing';
import { CountedService } from './testing/counted-service.js';
import { CountingClock } from './testing/counting-clock.js';

const tokens = 120;
const everyMs = 20;
/** A preview is written every 200 ms; what else goes by time is a few timers. */
const timersOfOneMax = 1.3;
/** Of the client, and heartbeats. */
const otherWrites = 5;

type Writes = Record<'_write' | '_writev', (...given: unknown[]) => void>;

test('TP12, TP13: a token that comes alone costs one timer, one signal and one write of a socket', async () => {
  const clock = new CountingClock();
  const service = await CountedService.start({ alone: true, clock });
  const writes = (['_write', '_writev'] as const).map((name) =>
    jest.spyOn(Socket.prototype as unknown as Writes, name),
  );
  const listens = jest.spyOn(AbortSignal.prototype, 'addEventListener');
  const dates = jest.spyOn(Date.prototype, 'toISOString');
  try {
    const agent = await service.call('POST', '/v1/agents', {
      name: 'paced',
      visibility: 'organization',
      model: 'svc-scripted-1',
    });
    const { session_id: session } = await service.call('POST', '/v1/agents/invoke', {
      agent_ref: { id: agent.id },
      session: { mode: 'new' },
      input: { content: [{ type: 'text', text: `tokens=${tokens + 2} every=${everyMs}` }] },
    });
    const stream = await service.follow(`/v1/sessions/${String(session)}/stream`);
    await eventually('the first token', () => stream.text().includes('tok0 '));
    const pass = async (index: number) => {
      service.pass(everyMs);
      await eventually(`token ${index}`, () => stream.text().includes(`tok${index} `));
    };
    await pass(1);
    service.taken(1);
    clock.reset();
    const spies = [...writes, listens, dates];
    for (const spy of spies) spy.mockClear();
    const from = clock.now();
    for (let index = 2; index < tokens + 2; index += 1) await pass(index);
    const frames = stream.text().match(/^event: generation\.delta$/gm) ?? [];
    expect(frames).toHaveLength(tokens + 1); // the first is in the preview
    expect(writes.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBeLessThanOrEqual(tokens + otherWrites);
    expect(service.taken(tokens).signals).toBeLessThanOrEqual(1.1);
    expect(clock.timers / tokens).toBeLessThanOrEqual(timersOfOneMax);
    expect(listens).not.toHaveBeenCalled();
    expect(dates.mock.calls.length).toBeLessThanOrEqual(3 * Math.ceil((clock.now() - from) / 1000) + 3);
    await stream.leave();
  } finally {
    for (const spy of [...writes, listens, dates]) spy.mockRestore();
    await service.stop();
  }
});
