import {
  type ActionServer,
  type Agent,
  type Client,
  type Page,
  type Turn,
  type TurnAck,
  finalStatuses,
  allRows,
  createAgent,
  eventually,
  invokeBody,
  said,
  script,
  unique,
} from '../harness/index.js';
import { followed, snapshotOf } from '../fleet/conversations.js';

/** A caller tries so long, at this pace: longer than any fault lasts. */
const patienceMs = 90_000;
const everyMs = 250;
const finalMs = 60_000;

export interface Conversation {
  key: string;
  ack: TurnAck;
  tries: number;
}

/** Tries again as clients do, on anything but an answer. */
export function patiently<Found>(
  what: string,
  read: () => Promise<Found | null | undefined | false>,
  withinMs = patienceMs,
): Promise<Found> {
  return eventually(what, read, withinMs, everyMs);
}

/** An agent whose turns may have an effect outside, and the effect's name. */
export async function effectAgent(api: Client, actions: ActionServer): Promise<{ agent: Agent; effect: string }> {
  const effect = unique('effect').replaceAll('-', '_');
  await api.post(
    '/v1/actions',
    {
      name: effect,
      endpoint_url: actions.at(`/${effect}`, () => ({ body: { done: true } })),
      annotations: { idempotent: true },
    },
    201,
  );
  const agent = await createAgent(api, {
    name: unique('chaos'),
    action_selectors: [{ selector_type: 'custom', selector: effect }],
  });
  return { agent, effect };
}

/** Says a word, has its effect, and says the last word. */
export const inputOf = (effect: string, key: string): string =>
  script(
    { say: 'first' },
    { call: { name: effect, input: { key } } },
    { say: 'second' },
    { wait_ms: 400 },
    { say: ' last' },
  );

/** Starts one turn; tried again under its key until it is acknowledged. */
async function begin(api: Client, agent: Agent, effect: string, key: string): Promise<Conversation> {
  let tries = 0;
  const ack = await patiently(`an acknowledgement of ${key}`, async () => {
    tries += 1;
    const answer = await api.send('POST', '/v1/agents/invoke', {
      body: invokeBody(agent.id, inputOf(effect, key), { session: { session_key: key }, key }),
    });
    if (answer.status === 202) return answer.body as TurnAck;
    if (answer.status < 500 && answer.status !== 429) throw new Error(`${answer.status} ${answer.text}`);
    return null;
  });
  return { key, ack, tries };
}

async function final(api: Client, { ack }: Conversation, withinMs: number): Promise<Turn> {
  return patiently(
    `the end of ${ack.turn_id}`,
    async () => {
      const turn = await api.get<Turn>(`/v1/sessions/${ack.session_id}/turns/${ack.turn_id}`);
      return finalStatuses.includes(turn.status) ? turn : null;
    },
    withinMs,
  );
}

/**
 * So many callers, each starting the next turn when its last one ended, every tenth of them followed on a stream; until
 * told to stop. Some turns may end only after the faults.
 */
export async function converseUntil(
  api: Client,
  agent: Agent,
  effect: string,
  callers: number,
  isOver: () => boolean,
  finalWithinMs: number,
): Promise<{ conversations: Conversation[]; follows: Promise<void>[] }> {
  const conversations: Conversation[] = [];
  const follows: Promise<void>[] = [];
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let index = 0; !isOver(); index += 1) {
        const conversation = await begin(api, agent, effect, unique(`c${caller}`));
        conversations.push(conversation);
        if (conversations.length % 10 === 0) {
          const follow = followToItsEnd(api, conversation, finalWithinMs);
          follow.catch(() => undefined); // judged with the others at the end
          follows.push(follow);
        }
        await final(api, conversation, finalWithinMs);
      }
    }),
  );
  return { conversations, follows };
}

/** A reader over whatever breaks: no frame twice, and what it has is what is there. */
async function followToItsEnd(api: Client, { ack }: Conversation, withinMs: number): Promise<void> {
  const { transcript, ids } = await followed(api, ack, undefined, withinMs);
  expect(new Set(ids).size).toBe(ids.length);
  expect(transcript.final()).toEqual((await snapshotOf(api, ack.session_id)).final());
}

/** Ended well, and once: its rows, its one call with one result, its turn. */
export async function expectOnce(api: Client, conversation: Conversation): Promise<void> {
  const { ack } = conversation;
  const turn = await final(api, conversation, finalMs);
  const rows = await patiently(`the rows of ${ack.session_id}`, () => allRows(api, ack.session_id));
  const words = rows
    .filter(({ role }) => role !== 'user')
    .map(said)
    .filter((text) => text !== '');
  const blocks = (type: string) => rows.flatMap(({ content }) => content.filter((block) => block.type === type));
  const turns = await patiently(`the turns of ${ack.session_id}`, () =>
    api.get<Page<Turn>>(`/v1/sessions/${ack.session_id}/turns`),
  );
  expect({
    turn: [ack.turn_id, turn.status, turn.error_type ?? null],
    turns: turns.items.map(({ id }) => id),
    words,
    sequences: rows.map(({ sequence }) => sequence),
    inputs: rows.filter(({ role, content }) => role === 'user' && content.some(({ type }) => type === 'text')).length,
    results: blocks('tool_result').map((block) => block['tool_use_id']),
  }).toEqual({
    turn: [ack.turn_id, 'completed', null],
    turns: [ack.turn_id],
    words: ['first', 'second last'],
    sequences: rows.map((_, index) => index + 1),
    inputs: 1,
    results: blocks('tool_use').map(({ id }) => id),
  });
  expect(blocks('tool_use')).toHaveLength(1);
}

const keyForm = /c\d+-[0-9a-f]{16}/;

/** The keys of all effects and under how many delivery ids each arrived. */
export function effects(actions: ActionServer, effect: string): Map<string, Set<string>> {
  const seen = new Map<string, Set<string>>();
  for (const { raw, headers } of actions.on(`/${effect}`)) {
    const [key = ''] = keyForm.exec(raw.toString('utf8')) ?? [];
    seen.set(key, (seen.get(key) ?? new Set()).add(String(headers['x-svc-delivery-id'])));
  }
  return seen;
}
