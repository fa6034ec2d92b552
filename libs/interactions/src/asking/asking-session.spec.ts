import { eventually } from '@aos/kernel/testing';
import { CommandGateway, impliedPermissions, type Identity, type JsonObject } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { InteractionMirror, SessionOutcomes } from '@aos/sessions/published';
import { interactionWire } from '../interaction/interaction.wire.js';
import { InteractionDirectory } from '../reading/interaction-directory.js';
import { InteractionsWorld, until } from '../testing/interactions.process.js';
import { AskingSessionReactor } from './asking-session.reactor.js';
import { AskingSessions } from './asking-sessions.js';

const world = new InteractionsWorld();
let ann: { id: string; key: string };
let bob: { id: string; key: string };
let agentId = '';

beforeAll(async () => {
  await world.start();
  ann = await world.person('ann');
  bob = await world.person('bob');
  agentId = (await world.made('/v1/agents', { name: 'asker', visibility: 'organization', model: 'svc-scripted-1' })).id;
});

afterAll(() => world.stop());

/** A session whose one turn is over. */
async function settledTurn(): Promise<{ sessionId: string; turnId: string }> {
  const { session, turn } = (await world.made('/v1/agents/invoke', {
    agent_ref: { id: agentId },
    session: { mode: 'new' },
    input: { content: [{ type: 'text', text: 'hello' }] },
  })) as unknown as { session: { id: string }; turn: { id: string } };
  await eventually(
    'the end of the turn',
    async () => (await world.call('GET', `/v1/sessions/${session.id}/turns/${turn.id}`)).body.status === 'completed',
  );
  return { sessionId: session.id, turnId: turn.id };
}

interface Row {
  role: string;
  content: { text: string }[];
  metadata?: { event_type?: string; interaction_id?: string; event_projection?: object };
}

const outcomesIn = async (sessionId: string): Promise<Row[]> => {
  const { items = [] } = (await world.call('GET', `/v1/sessions/${sessionId}/messages`)).body;
  return (items as unknown as Row[]).filter(({ metadata }) => metadata?.event_type === 'interaction.resolved');
};

const ask = (turnId: string, sessionId: string) =>
  world.made('/v1/interactions', {
    kind: 'request_review',
    title: 'Is it good?',
    target_user_ids: [ann.id],
    consumer: {
      kind: 'agent_tool',
      agent_tool: { invocation_id: turnId, tool_call_id: 'call_1', session_id: sessionId },
    },
  });

async function mirrored(sessionId: string): Promise<{ status: string; at: number }[]> {
  const events = await world.store.read(`session-${sessionId}`, { limit: 200 });
  return events
    .filter(({ type }) => type === 'InteractionMirrored')
    .map(({ data, revision }) => ({ status: (data.interaction as { status: string }).status, at: revision }));
}

describe('the session that asked', () => {
  it('is told of every change, then of the outcome, once', async () => {
    const { sessionId, turnId } = await settledTurn();
    const { id, session_id: named } = await ask(turnId, sessionId);
    expect(named).toBe(sessionId);
    await eventually(
      'the open question',
      async () =>
        (
          ((await world.call('GET', `/v1/sessions/${sessionId}/transcript`)).body.interactions ?? []) as {
            id: string;
          }[]
        )[0]?.id === id,
    );
    await world.call('POST', `/v1/interactions/${id}/respond`, { value: 'very', comment: 'ship it' }, ann.key);
    const [row] = await until('the outcome', async () => {
      const rows = await outcomesIn(sessionId);
      return rows.length > 0 ? rows : null;
    });
    expect(row).toMatchObject({
      role: 'user',
      metadata: {
        interaction_id: id,
        event_projection: { title: 'Request answered', summary: 'Is it good?', excerpt: 'very' },
      },
    });
    expect(row?.content[0]?.text).toContain(`${ann.id} answered:\n- Is it good?: very\nComment: ship it`);
    expect((await mirrored(sessionId)).map(({ status }) => status)).toEqual(['pending', 'pending', 'completed']);
    const { items } = (await world.call('GET', `/v1/interactions?session_id=${sessionId}`)).body;
    expect(items).toHaveLength(1);
  });

  it.each([
    ['cancel', 'Request dismissed'],
    ['expire', 'Request expired'],
  ])('hears of %s as "%s", also when its turn was cancelled', async (how, title) => {
    const { sessionId, turnId } = await settledTurn();
    const expires_at = new Date(world.clock.now() + 60_000).toISOString();
    const { id } = await world.made('/v1/interactions', {
      kind: 'request_information',
      title: 'Well?',
      target_user_ids: [ann.id],
      expires_at,
      consumer: { kind: 'agent_tool', agent_tool: { invocation_id: turnId, tool_call_id: 'c' } },
    });
    if (how === 'cancel') await world.call('POST', `/v1/interactions/${id}/cancel`, { reason: 'no time' }, ann.key);
    else await world.pass(60_001);
    const rows = await until('the outcome', async () => {
      await world.pass(500);
      const found = await outcomesIn(sessionId);
      return found.length > 0 ? found : null;
    });
    expect(rows).toHaveLength(1);
    expect(rows[0]?.metadata?.event_projection).toMatchObject({ title });
  });

  it.each([
    ['no answer', [], { type: 'all_of' }, 'Nobody answered in time.'],
    ['one answer of two', ['ann'], { type: 'all_of' }, 'There were answers, but not all that it needed in time.'],
    ['no review', ['ann', 'bob'], { type: 'all_of', review: {} }, 'It was answered, but not reviewed in time.'],
  ] as const)('reads what was missing of a question that expired with %s', async (_what, answering, policy, said) => {
    const { sessionId, turnId } = await settledTurn();
    const keys = { ann: ann.key, bob: bob.key };
    const { id } = await world.made('/v1/interactions', {
      kind: 'request_information',
      title: 'Well?',
      target_user_ids: [ann.id, bob.id],
      resolution_policy: policy,
      expires_at: new Date(world.clock.now() + 60_000).toISOString(),
      consumer: { kind: 'agent_tool', agent_tool: { invocation_id: turnId, tool_call_id: 'c' } },
    });
    for (const name of answering) {
      const answered = await world.call('POST', `/v1/interactions/${id}/respond`, { value: 'so' }, keys[name]);
      expect(answered.status).toBe(200);
    }
    await world.pass(60_001);
    const [row] = await until('the outcome', async () => {
      await world.pass(500);
      const found = await outcomesIn(sessionId);
      return found.length > 0 ? found : null;
    });
    expect(row?.content[0]?.text.split('\n').slice(1)).toEqual([said]);
  });

  it('hears once, whatever step the teller falls after', async () => {
    const { sessionId, turnId } = await settledTurn();
    const { id } = await ask(turnId, sessionId);
    await world.call('POST', `/v1/interactions/${id}/respond`, { value: 'x' }, ann.key);
    await eventually('the outcome', async () => (await outcomesIn(sessionId)).length === 1);
    const nest = world.app?.nest;
    const outcomes = nest?.get(SessionOutcomes, { strict: false }) as SessionOutcomes;
    const mirror = nest?.get(InteractionMirror, { strict: false }) as InteractionMirror;
    const log = await world.store.read(`interaction-${id}`, { limit: 100 });
    for (let fallAfter = 0; fallAfter < 8; fallAfter += 1) {
      let steps = 0;
      const falling = <Of extends object>(whole: Of): Of =>
        new Proxy(whole, {
          get:
            (target, name) =>
            async (...given: never[]) => {
              steps += 1;
              if (steps > fallAfter) throw new Error('the process falls here');
              await (target[name as keyof Of] as (...all: never[]) => Promise<void>).apply(target, given);
            },
        });
      const teller = () =>
        new AskingSessionReactor(
          world.store,
          null as never,
          world.clock,
          { ulid: () => 'x' } as never,
          { leaseSeconds: 1 } as never,
          new AskingSessions(nest?.get(Decisions) as Decisions, falling(mirror)),
          falling(outcomes),
        );
      await teller()
        .tell(log)
        .catch((error: Error) => {
          expect(error.message).toBe('the process falls here');
        });
    }
    expect(await outcomesIn(sessionId)).toHaveLength(1);
    const seen = await mirrored(sessionId);
    expect(seen.map(({ status }) => status)).toEqual(['pending', 'pending', 'completed']);
    const events = await world.store.read(`session-${sessionId}`, { limit: 200 });
    const outcomeAt = events.find(({ type }) => type === 'OutcomeReceived')?.revision ?? -1;
    expect(outcomeAt).toBeGreaterThan(seen.at(-1)?.at ?? Infinity);
  });

  it('takes over where a stopped process left off', async () => {
    const { sessionId, turnId } = await settledTurn();
    const { id } = await ask(turnId, sessionId);
    let isDown = true;
    world.store.faults = {
      beforeAppend: (stream, _expected, events) => {
        if (isDown && stream === `session-${sessionId}` && events.some(({ type }) => type === 'OutcomeReceived'))
          throw new Error('not now');
      },
    };
    await world.call('POST', `/v1/interactions/${id}/respond`, { value: 'x' }, ann.key);
    await eventually('the mirrored end', async () =>
      (await mirrored(sessionId)).some(({ status }) => status === 'completed'),
    );
    await world.stop();
    isDown = false;
    await world.start();
    await eventually('the outcome', async () => {
      await world.pass(1000);
      return (await outcomesIn(sessionId)).length === 1;
    });
    expect((await mirrored(sessionId)).map(({ status }) => status)).toEqual(['pending', 'pending', 'completed']);
  });

  it("takes each of a hundred outcomes once, when the reactor's position is not saved", async () => {
    const { sessionId, turnId } = await settledTurn();
    let isDown = true;
    let lost = 0;
    world.store.faults = {
      beforeAppend: (stream, _expected, events) => {
        if (isDown && stream === `session-${sessionId}`) throw new Error('not now');
        if (!isDown && lost < 3 && events.some(({ type }) => type === 'RelayMoved')) {
          lost += 1;
          throw new Error('not kept');
        }
      },
    };
    const asked: string[] = [];
    for (let count = 0; count < 100; count += 1) {
      const { id } = await ask(turnId, sessionId);
      await world.call('POST', `/v1/interactions/${id}/respond`, { value: 'x' }, ann.key);
      asked.push(id);
    }
    isDown = false;
    const heard = async () =>
      (await world.store.read(`session-${sessionId}`, { limit: 4_000 }))
        .filter(({ type }) => type === 'OutcomeReceived')
        .map(({ data }) => (data.outcome as { interaction_id: string }).interaction_id);
    await eventually('every outcome', async () => {
      await world.pass(1000);
      return lost === 3 && new Set(await heard()).size === asked.length;
    });
    expect((await heard()).sort()).toEqual(asked.sort());
  });
});

describe('an agent in its own turn', () => {
  it('opens once by delivery, cancels only its own, and answers as a target', async () => {
    const { sessionId, turnId } = await settledTurn();
    const gateway = world.app?.nest.get(CommandGateway, { strict: false }) as CommandGateway;
    const directory = world.app?.nest.get(InteractionDirectory, { strict: false }) as InteractionDirectory;
    const first = await ask(turnId, sessionId);
    const [recorded] = await world.store.read(`interaction-${first.id}`, { limit: 1 });
    const who: Identity = {
      orgId: recorded?.meta.org_id ?? '',
      principalId: agentId,
      kind: 'agent',
      apiKeyId: null,
      permissions: impliedPermissions(['svc.resource.use']),
      roles: [],
      cap: null,
      requestId: 'req',
      ip: null,
    };
    const body = { kind: 'request_information' as const, title: 'Which?', target_user_ids: [ann.id] };
    const send = (name: string, payload: JsonObject, deliveryId: string) =>
      gateway.send({ name, payload, identity: who, deliveryId });
    const cancel = (id: string, reason: string | null) =>
      send('interactions.cancel', { interaction_id: id, reason }, 'dlv_cancel');
    const asked = { body, turn_id: turnId, tool_call_id: 'call_2' };
    const made = await send('interactions.open', asked, 'dlv_open');
    expect(made).toMatchObject({
      status: 'pending',
      created_by: agentId,
      consumer: { kind: 'agent_tool', agent_tool: { invocation_id: turnId, tool_call_id: 'call_2' } },
    });
    expect(await send('interactions.open', asked, 'dlv_open')).toEqual(made);
    expect(interactionWire(await directory.visible(who, String(made.id)), who)).toEqual(made);
    await expect(cancel(first.id, null)).rejects.toMatchObject({ code: 'not_found' });
    expect(await cancel(String(made.id), 'changed my mind')).toMatchObject({
      status: 'cancelled',
      cancel_reason: 'changed my mind',
    });
    expect(await cancel(String(made.id), 'changed my mind')).toMatchObject({ status: 'cancelled' });
    const { id: toAgent } = await world.made('/v1/interactions', {
      kind: 'request_information',
      title: 'Agent?',
      target_user_ids: [agentId],
    });
    const answer = { interaction_id: toAgent, body: { value: 'yes' } };
    const answered = await send('interactions.respond', answer, 'dlv_answer');
    expect(answered).toMatchObject({ status: 'completed', responder: { user_id: agentId } });
    expect(await send('interactions.respond', answer, 'dlv_answer')).toEqual(answered);
  });
});
