import { quickest } from '@aos/kernel/testing';
import { type TurnAck, Client, createAgent, eventually, invoke, issueKey, openStream, v1 } from '../harness/index.js';
import { slowScript } from './conversations.js';

const api = Client.owner();
const refusedMs = 1_000;
const closedMs = 5_000;

describe('the door', () => {
  it('invariant 64: a revoked key is refused within a second and its streams are closed within five', async () => {
    const agent = await createAgent(api);
    const share = await quickest(1, async () => {
      const issued = await issueKey(api, 'User');
      const caller = api.as(issued.key);
      const turn = await invoke(api, agent.id, slowScript(600_000));
      const stream = await v1(caller, turn.session_id);
      await stream.until('the first row', () => true);
      await api.delete(`/v1/api-keys/${issued.id}`);
      const revokedAt = performance.now();
      await eventually('the key being refused', async () => (await caller.send('GET', '/v1/agents')).status === 401);
      const refused = performance.now() - revokedAt;
      await stream.over();
      const closed = performance.now() - revokedAt;
      await api.post(`/v1/sessions/${turn.session_id}/turns/${turn.turn_id}/cancel`);
      return Math.max(refused / refusedMs, closed / closedMs);
    });
    expect(share).toBeLessThan(1);
  });

  it('passes the inline stream of a turn through, to its end', async () => {
    const agent = await createAgent(api);
    const stream = await openStream(api, '/v1/agents/invoke', {
      method: 'POST',
      protocol: 'v1',
      body: {
        agent_ref: { id: agent.id },
        session: { mode: 'new' },
        input: { content: [{ type: 'text', text: slowScript(200) }] },
      },
    });
    await stream.over();
    expect(stream.ending).toBe('ended');
    expect(stream.headers['x-svc-turn-id']).toMatch(/^turn_/);
    expect(stream.frames.at(-1)?.event).toBe('stream.end');
  });

  it('believes nothing that services believe of each other', async () => {
    const answer = await api.as(null).send('GET', '/v1/agents', { headers: { 'x-svc-identity': 'i1.k.e30.x' } });
    expect(answer.status).toBe(401);
    expect((await api.send('POST', '/internal/commands/sessions.anything', { body: {}, invalid: true })).status).toBe(
      404,
    );
  });

  it('one key starts one turn, whichever copies the tries reach', async () => {
    const agent = await createAgent(api);
    const session = { session_key: 'raced' };
    const acks: TurnAck[] = await Promise.all(
      Array.from({ length: 20 }, () => invoke(api, agent.id, 'once', { session, key: 'same' })),
    );
    expect(new Set(acks.map(({ turn_id: id }) => id)).size).toBe(1);
    expect(acks.filter(({ deduped }) => !deduped)).toHaveLength(1);
  });
});
