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

const calls = 12;

const api = Client.owner();
let server: ActionServer;

beforeAll(async () => {
  server = await ActionServer.start();
});
afterAll(() => server.close());

/** How many jobs each copy of session-service has recorded since it started, by its url. */
async function recordedJobs(): Promise<Map<string, number>> {
  const counted = replicas('session-service').map(async ({ url }): Promise<[string, number]> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const [, count] = /^events_recorded_total\{[^}]*type="ToolJobStarted"[^}]*\} (\d+)$/m.exec(text) ?? [];
    return [url, Number(count ?? 0)];
  });
  return new Map(await Promise.all(counted));
}

describe('long-running calls of a session-service that is killed', () => {
  it('invariants 23, 26: are sent again by another copy under their delivery ids, and each turn goes on with one result', async () => {
    const name = unique('job');
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const endpoint = server.at(`/${name}`, () => ({ after: opened, body: { done: true } }));
    const action = { key: 'work', name, type: 'http', endpoint, annotations: { long_running: true } };
    await api.post('/v1/blueprints/apply', { blueprint_key: name, resources: { actions: [action] } }, 200);
    const agent: Agent = await createAgent(api, {
      name: unique('patient'),
      action_selectors: [{ selector_type: 'exact', selector: name }],
    });
    const before = await recordedJobs();
    const turns = await Promise.all(
      Array.from({ length: calls }, () =>
        invoke(api, agent.id, script({ call: { name, input: {} } }, { read: 'last_tool_result' })),
      ),
    );
    await Promise.all(turns.map((turn) => reaches(api, turn, 'waiting')));
    const deliveries = () => server.on(`/${name}`).map(({ headers }) => String(headers['x-svc-delivery-id']));
    await eventually('each call being there once', () => Promise.resolve(deliveries().length === calls));
    const recorded = await recordedJobs();
    const begun = ({ url }: { url: string }) => (recorded.get(url) ?? 0) - (before.get(url) ?? 0);
    const [victim, other] = replicas('session-service').sort((one, another) => begun(another) - begun(one));
    if (!victim || !other) throw new Error('two copies of session-service are needed');
    expect(begun(victim)).toBeGreaterThan(0);
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
