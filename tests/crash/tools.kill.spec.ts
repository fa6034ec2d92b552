import { OwnService } from '../harness/embedded.js';
import { ActionServer, type Agent, allRows, createAgent, eventually, invoke, script, settled, type TurnAck } from '../harness/index.js';

/** `npm run soak -- tool-kills` makes more of them. */
const kills = Number(process.env['TOOL_KILLS'] ?? 5);
const settleMs = 30_000;

let server: ActionServer;
let service: OwnService;

beforeAll(async () => {
  server = await ActionServer.start('own');
  service = await OwnService.start({ SVC_EGRESS_ALLOW: `127.0.0.1:${server.port}` });
}, 60_000);
afterAll(async () => {
  await service.remove();
  await server.close();
});

const results = async (ack: TurnAck) => (await allRows(service.client, ack.session_id)).flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
const deliveriesOf = (path: string, call: string) =>
  new Set(server.on(path).filter(({ body }) => (body['parameters'] as { call?: string }).call === call).map(({ headers }) => headers['x-svc-delivery-id']));

/** An action that keeps the first request of each call waiting for ever, and answers the next with the call's name. */
async function action(name: string, longRunning: boolean): Promise<{ path: string; name: string }> {
  const path = `/${name}`;
  const unanswered = new Promise<void>(() => undefined);
  const endpoint = server.at(path, ({ body }) => {
    const { call } = body['parameters'] as { call: string };
    const requests = server.on(path).filter((request) => (request.body['parameters'] as { call: string }).call === call).length;
    return requests === 1 ? { after: unanswered } : { body: { paid: call } };
  });
  const annotations = longRunning ? { long_running: true } : {};
  await service.client.post('/v1/blueprints/apply', { blueprint_key: name, resources: { actions: [{ key: name, name, type: 'http', endpoint, annotations }] } }, 200);
  return { path, name };
}

it(`R24, invariants 23, 24, 26: ${kills} times a process dies with calls under way: each call is made again under its delivery id, and has one result`, async () => {
  const actions = [await action('pay', false), await action('ship', true)];
  const agent: Agent = await createAgent(service.client, { action_selectors: actions.map(({ name }) => ({ selector_type: 'exact', selector: name })) });
  for (let turn = 0, killed = 0; killed < kills; turn += 1) {
    // By turns one call in the turn, one outside it, and both at once.
    const made = turn % 3 === 2 ? actions : [actions[turn % 3] as (typeof actions)[number]];
    const calls = made.map(({ name }) => ({ name, input: { call: `${name}-${turn}` } }));
    const ack = await invoke(service.client, agent.id, script({ calls }, { say: 'done' }), { session: { mode: 'new' } });
    // A call outside its turn leaves only when those in it are done: each of them meets a kill of its own.
    for (const { path, name } of made) {
      await eventually(`the request of ${name}`, () => Promise.resolve(deliveriesOf(path, `${name}-${turn}`).size === 1), settleMs);
      await service.end('SIGKILL');
      killed += 1;
      await service.run();
    }
    expect(await settled(service.client, ack, settleMs)).toMatchObject({ status: 'completed', usage: { calls: 2 } });
    expect(await results(ack)).toMatchObject(calls.map(({ input }) => ({ content: JSON.stringify({ paid: input.call }), is_error: false })));
    for (const { path, name } of made) expect(deliveriesOf(path, `${name}-${turn}`).size).toBe(1);
  }
}, kills * 60_000);
