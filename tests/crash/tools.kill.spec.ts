import { eventually, invoke, script, settled } from '../harness/index.js';
import { CallingService } from './calling-service.js';

/** `npm run soak -- tool-kills` makes more of them. */
const kills = Number(process.env['TOOL_KILLS'] ?? 5);

let service: CallingService;

beforeAll(async () => {
  service = await CallingService.start();
});
afterAll(() => service.remove());

const requestsOf = (name: string, call: unknown) => service.sent(name).filter(({ input }) => input['call'] === call);
const deliveriesOf = (name: string, call: string) =>
  new Set(requestsOf(name, call).map(({ deliveryId }) => deliveryId));

/** An action that keeps the first request of each call waiting for ever, and answers the next with the call's name. */
async function action(name: string, longRunning: boolean): Promise<string> {
  const unanswered = new Promise<void>(() => undefined);
  await service.action(
    name,
    ({ body }) => {
      const { call } = body['parameters'] as { call: string };
      return requestsOf(name, call).length === 1 ? { after: unanswered } : { body: { paid: call } };
    },
    longRunning ? { long_running: true } : {},
  );
  return name;
}

it(
  `R24, invariants 23, 24, 26: ${kills} times a process dies with calls under way: each call is made again under its delivery id, and has one result`,
  async () => {
    const actions = [await action('pay', false), await action('ship', true)];
    const agent = await service.agentWith(...actions);
    for (let turn = 0, killed = 0; killed < kills; turn += 1) {
      // By turns one call in the turn, one outside it, and both at once.
      const made = turn % 3 === 2 ? actions : [actions[turn % 3] as string];
      const calls = made.map((name) => ({ name, input: { call: `${name}-${turn}` } }));
      const ack = await invoke(service.client, agent.id, script({ calls }, { say: 'done' }), {
        session: { mode: 'new' },
      });
      // A call outside its turn leaves only when those in it are done: each of them meets a kill of its own.
      for (const name of made) {
        await eventually(`the request of ${name}`, () =>
          Promise.resolve(deliveriesOf(name, `${name}-${turn}`).size === 1),
        );
        await service.kill();
        killed += 1;
      }
      expect(await settled(service.client, ack)).toMatchObject({ status: 'completed', usage: { calls: 2 } });
      expect(await service.results(ack)).toMatchObject(
        calls.map(({ input }) => ({ content: JSON.stringify({ paid: input.call }), is_error: false })),
      );
      for (const name of made) expect(deliveriesOf(name, `${name}-${turn}`).size).toBe(1);
    }
  },
  kills * 60_000,
);
