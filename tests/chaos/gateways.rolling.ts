import { Client, cancelTurn, createAgent, eventually, invoke, issueKey } from '../harness/index.js';
import { slowScript } from '../fleet/conversations.js';
import { crash, replicas, serviceBack } from '../fleet/fleet.js';

/** The default of SVC_STREAMS_PER_KEY. */
const perKey = 100;
/** A gateway that is gone is forgotten after 30 s. */
const forgottenMs = 120_000;
const streamedMs = 240_000;

const api = Client.owner();
/** Answers are kept: one that nobody holds is collected, and its stream with it. */
const open: { stream: AbortController; answer: Response }[] = [];
afterAll(() => {
  for (const { stream } of open) stream.abort();
});

async function tried(gateway: string, key: string, sessionId: string): Promise<{ status: number; scope?: string }> {
  const stream = new AbortController();
  const answer = await fetch(`${gateway}/v1/sessions/${sessionId}/transcript/stream`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    signal: stream.signal,
  });
  if (answer.status === 200) {
    open.push({ stream, answer });
    return { status: 200 };
  }
  const { error } = (await answer.json()) as { error: { details: { scope: string } } };
  return { status: answer.status, scope: error.details.scope };
}

it('the streams of a key are counted by both doors together; those of a door that died are free again', async () => {
  // a stream of an idle session ends by itself
  const turn = await invoke(api, (await createAgent(api)).id, slowScript(streamedMs));
  const { session_id: id } = turn;
  const { key } = await issueKey(api, 'User');
  const gateways = replicas('gateway');
  const [first, second] = gateways.map(({ url }) => url);
  if (first === undefined || second === undefined) throw new Error('this fleet has one door');
  for (let count = 0; count < perKey; count += 1)
    expect(await tried(count % 2 === 0 ? first : second, key, id)).toEqual({ status: 200 });
  for (const gateway of [first, second]) expect(await tried(gateway, key, id)).toEqual({ status: 429, scope: 'key' });
  const [dying] = gateways;
  if (!dying) throw new Error('no door');
  const deadPid = crash(dying);
  await eventually(
    'a place of the dead door being free',
    async () => (await tried(second, key, id)).status === 200,
    forgottenMs,
  );
  await serviceBack(dying, deadPid);
  await cancelTurn(api, turn);
});
