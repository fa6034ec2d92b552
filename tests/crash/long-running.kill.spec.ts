import {
  type ActionScript,
  type Agent,
  eventually,
  invoke,
  reaches,
  readTurn,
  script,
  settled,
  type TurnAck,
} from '../harness/index.js';
import { CallingService } from './calling-service.js';

const never = new Promise<void>(() => undefined);
let service: CallingService;

beforeAll(async () => {
  service = await CallingService.start();
});
afterAll(() => service.remove());

async function action(
  name: string,
  answer: ActionScript,
  annotations: object = {},
): Promise<{ agent: Agent; name: string }> {
  await service.action(name, answer, annotations);
  return { name, agent: await service.agentWith(name) };
}

const called = (name: string, times: number) =>
  eventually('the request', () => Promise.resolve(service.sent(name).length === times));
const idsOf = (name: string) => new Set(service.sent(name).map(({ deliveryId }) => deliveryId));

it('T9, R24: a call that goes on outside its turn outlives a kill: it is sent again under its delivery id and wakes the turn once', async () => {
  const made = await action(
    'export',
    (_request, earlier) => (earlier === 0 ? { after: never } : { body: { exported: true } }),
    { long_running: true },
  );
  const ack = await invoke(
    service.client,
    made.agent.id,
    script({ call: { name: made.name, input: {} } }, { say: 'done' }),
  );
  await reaches(service.client, ack, 'waiting');
  await called(made.name, 1);
  await service.kill();
  expect(await settled(service.client, ack)).toMatchObject({ status: 'completed', usage: { calls: 2 } });
  expect(service.sent(made.name)).toHaveLength(2);
  expect(idsOf(made.name).size).toBe(1);
  expect(await service.results(ack)).toMatchObject([{ content: '{"exported":true}', is_error: false }]);
});

it('a turn that was woken or cancelled before the kill gets no second call', async () => {
  const made = await action('slowly', () => ({ after: never }), { long_running: true, idempotent: true });
  const [woken, cancelled] = (await Promise.all(
    [0, 1].map(() =>
      invoke(service.client, made.agent.id, script({ call: { name: made.name, input: {} } }, { say: 'done' }), {
        session: { mode: 'new' },
      }),
    ),
  )) as [TurnAck, TurnAck];
  for (const ack of [woken, cancelled]) await reaches(service.client, ack, 'waiting');
  await called(made.name, 2);
  await service.client.post(`/v1/sessions/${woken.session_id}/nudges`, { content: 'go on', wake: true }, 202);
  await service.client.post(`/v1/sessions/${cancelled.session_id}/cancel`, undefined, 200);
  await settled(service.client, woken);
  await service.kill();
  expect(await readTurn(service.client, cancelled)).toMatchObject({ status: 'cancelled' });
  const next = await invoke(service.client, made.agent.id, 'hello', { session: { mode: 'new' } });
  await settled(service.client, next);
  expect(service.sent(made.name)).toHaveLength(2);
});

/** Actions that differ in how often their calls are sent; `most` with the first one. */
const kinds = [
  { kind: 'non-idempotent-long', annotations: { long_running: true }, most: 2 },
  { kind: 'idempotent-long', annotations: { long_running: true, idempotent: true }, most: 4 },
  { kind: 'non-idempotent-short', annotations: {}, most: 2 },
  { kind: 'idempotent-short', annotations: { idempotent: true }, most: 4 },
];

it('R24: a call whose process is killed again and again is sent a bounded number of times, then it fails with an unknown outcome', async () => {
  const calls = await Promise.all(
    kinds.map(async ({ kind, annotations, most }) => {
      const made = await action(kind, () => ({ after: never }), annotations);
      const input = script({ call: { name: made.name, input: {} } }, { say: 'done' });
      return { name: made.name, most, ack: await invoke(service.client, made.agent.id, input) };
    }),
  );
  for (let time = 1; time <= 4; time += 1) {
    await Promise.all(calls.map(({ name, most }) => called(name, Math.min(time, most))));
    await service.kill();
  }
  for (const { name, most, ack } of calls) {
    expect(await settled(service.client, ack)).toMatchObject({ status: 'completed' });
    expect([name, service.sent(name).length, idsOf(name).size]).toEqual([name, most, 1]);
    expect(await service.results(ack)).toMatchObject([
      { is_error: true, content: expect.stringContaining('outcome_unknown') as string },
    ]);
  }
});
