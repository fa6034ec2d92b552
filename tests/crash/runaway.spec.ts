import { OwnService } from '../harness/embedded.js';
import {
  type Agent,
  type Client,
  allRows,
  converse,
  createAgent,
  readTurn,
  script,
  settled,
  startTurn,
  timeFor,
} from '../harness/index.js';

let service: OwnService;
let api: Client;
let agent: Agent;

beforeAll(async () => {
  service = await OwnService.start({ SVC_TURN_MAX_MODEL_CALLS: '3', SVC_TURN_MAX_TOOL_CALLS: '4' });
  api = service.client;
  agent = await createAgent(api);
});

afterAll(async () => {
  await service.remove();
});

const call = { name: 'none', input: {} };
const calls = (count: number) => ({ calls: Array.from({ length: count }, () => call) });

describe('runaway turns (L19)', () => {
  it('as many model calls as allowed complete, one more fails the turn; the session goes on', async () => {
    expect((await converse(api, agent.id, script({ call }, { call }, { say: 'third' }))).turn).toMatchObject({
      status: 'completed',
      usage: { calls: 3 },
    });
    const { ack, turn } = await converse(api, agent.id, script({ call }, { call }, { call }, { say: 'fourth' }));
    expect(turn).toMatchObject({ status: 'failed', error_type: 'iteration_limit', phase: null });
    expect(turn).not.toHaveProperty('usage');
    expect((await settled(api, await startTurn(api, ack.session_id, 'next'))).status).toBe('completed');
    expect(await readTurn(api, ack)).toEqual(turn);
  });

  it('nudges extend a turn only to the bound', async () => {
    const { ack } = await converse(api, agent.id, 'hello');
    const long = await startTurn(api, ack.session_id, script({ wait_ms: await timeFor(api, 10) }, { say: 'x' }));
    for (let index = 0; index < 5; index += 1)
      await api.post(`/v1/sessions/${ack.session_id}/nudges`, { content: `n${index}` }, 202);
    expect(await settled(api, long)).toMatchObject({ status: 'failed', error_type: 'iteration_limit' });
  });

  it('tool calls beyond the bound are not carried out, and each still has a result', async () => {
    expect((await converse(api, agent.id, script(calls(4), { say: 'x' }))).turn.status).toBe('completed');
    const { ack, turn } = await converse(api, agent.id, script(calls(5), { say: 'x' }));
    expect(turn).toMatchObject({ status: 'failed', error_type: 'iteration_limit' });
    const rows = await allRows(api, ack.session_id);
    expect(rows.map((row) => row.content.length)).toEqual([1, 5, 5]);
    expect(
      rows[2]?.content.every(
        (block) => block.type === 'tool_result' && String(block.content).includes('not completed'),
      ),
    ).toBe(true);
  });
});
