import {
  ActionServer,
  type Agent,
  Client,
  allRows,
  createAgent,
  eventually,
  invoke,
  reaches,
  script,
  settled,
  unique,
} from '../harness/index.js';
import { turnMs } from './conversations.js';
import { crash, replicas, serviceBack } from './fleet.js';

/** So many that each of two copies holds some. */
const calls = 12;

const api = Client.owner();
let server: ActionServer;
let agent: Agent;
let name: string;

beforeAll(async () => {
  server = await ActionServer.start();
  name = unique('job');
});
afterAll(() => server.close());

describe('long-running calls of a session-service that is killed', () => {
  it('invariants 23, 26: are sent again by another copy under their delivery ids, and each turn goes on with one result', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const endpoint = server.at(`/${name}`, () => ({ after: opened, body: { done: true } }));
    const action = { key: 'work', name, type: 'http', endpoint, annotations: { long_running: true } };
    await api.post('/v1/blueprints/apply', { blueprint_key: name, resources: { actions: [action] } }, 200);
    agent = await createAgent(api, {
      name: unique('patient'),
      action_selectors: [{ selector_type: 'exact', selector: name }],
    });
    const turns = await Promise.all(
      Array.from({ length: calls }, () =>
        invoke(api, agent.id, script({ call: { name, input: {} } }, { read: 'last_tool_result' })),
      ),
    );
    await Promise.all(turns.map((turn) => reaches(api, turn, 'waiting')));
    const deliveries = () => server.on(`/${name}`).map(({ headers }) => String(headers['x-svc-delivery-id']));
    await eventually('each call being there once', () => Promise.resolve(deliveries().length === calls));
    const [victim, other] = replicas('session-service');
    if (!victim || !other) throw new Error('two copies of session-service are needed');
    const pid = crash(victim);
    await eventually(
      'calls of the dead one being sent again',
      () => Promise.resolve(deliveries().length > calls),
      turnMs,
    );
    open();
    const ends = await Promise.all(turns.map((turn) => settled(api, turn, turnMs)));
    expect(ends.map(({ status }) => status)).toEqual(turns.map(() => 'completed'));
    for (const { session_id: session } of turns) {
      const rows = await allRows(api, session);
      expect(rows.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'))).toMatchObject([
        { content: '{"done":true}', is_error: false },
      ]);
      expect(rows.at(-1)?.content).toMatchObject([{ type: 'text', text: '{"done":true}' }]);
    }
    expect(new Set(deliveries()).size).toBe(calls);
    await serviceBack(victim, pid);
  });
});
