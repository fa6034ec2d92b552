import {
  type Agent,
  Client,
  endlessScript,
  type Page,
  type Session,
  allRows,
  callerWith,
  cancelTurn,
  converse,
  createAgent,
  createSession,
  eventually,
  invoke,
  invokeBody,
  person,
  settled,
  startTurn,
  text,
  unique,
} from '../harness/index.js';

const api = Client.owner();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('sessions') });
});

const list = (query: Record<string, string | number>) => api.get<Page<Session>>('/v1/sessions', query);

describe('sessions: create and resolve', () => {
  it('S1: create answers 200 with the session, created or resolved alike', async () => {
    const key = unique('k');
    const made = await createSession(api, agent.id, { session_key: key, title: 'first', metadata: { a: { b: 1 } } });
    expect(made).toMatchObject({
      agent_id: agent.id,
      session_key: key,
      title: 'first',
      metadata: { a: { b: 1 } },
      status: 'active',
      message_count: 0,
      scope: 'agent',
      visibility: 'organization',
      owner: { kind: 'team' },
    });
    expect(made.id).toMatch(/^ses_[0-9a-z]{20,}$/);
    const resolved = await createSession(api, agent.id, { session_key: key, title: 'ignored' });
    expect(resolved).toMatchObject({ id: made.id, title: 'first' });
  });

  it('S2: continue finds or answers 404; new always creates; continue_or_create is the default', async () => {
    const key = unique('k');
    await api.refused('not_found', 'POST', '/v1/sessions', {
      body: { agent_id: agent.id, mode: 'continue', session_key: key },
    });
    await api.refused('not_found', 'POST', '/v1/agents/invoke', {
      body: invokeBody(agent.id, 'x', { session: { mode: 'continue', session_key: key } }),
    });
    const made = await createSession(api, agent.id, { session_key: key });
    expect((await createSession(api, agent.id, { mode: 'continue', session_key: key })).id).toBe(made.id);
    expect((await createSession(api, agent.id, { mode: 'continue_or_create', session_key: key })).id).toBe(made.id);
    const [one, two] = [
      await createSession(api, agent.id, { mode: 'new' }),
      await createSession(api, agent.id, { mode: 'new' }),
    ];
    expect(one.id).not.toBe(two.id);
  });

  it('S3: without a key the resolving modes share "default" and a new session is its own key', async () => {
    const fresh = await createAgent(api);
    const made = await createSession(api, fresh.id);
    expect(made.session_key).toBe('default');
    expect((await createSession(api, fresh.id)).id).toBe(made.id);
    expect((await invoke(api, fresh.id, 'x', { session: {} })).session_id).toBe(made.id);
    const own = await createSession(api, fresh.id, { mode: 'new' });
    expect(own.session_key).toBe(own.id);
    expect((await createSession(api, fresh.id, { session_key: own.id })).id).toBe(own.id);
  });

  it('S4: new with a taken key is a conflict, and the key stays unique within an agent only', async () => {
    const key = unique('k');
    const made = await createSession(api, agent.id, { mode: 'new', session_key: key });
    await api.refused('session_key_conflict', 'POST', '/v1/sessions', {
      body: { agent_id: agent.id, mode: 'new', session_key: key },
    });
    await api.refused('session_key_conflict', 'POST', '/v1/agents/invoke', {
      body: invokeBody(agent.id, 'x', { session: { mode: 'new', session_key: key } }),
    });
    const other = await createAgent(api);
    expect((await createSession(api, other.id, { mode: 'new', session_key: key })).id).not.toBe(made.id);
  });

  it('invariant 9: fifty racing resolvers of one key get one session; another agent gets its own', async () => {
    const key = unique('race');
    const sessions = await Promise.all(
      Array.from({ length: 50 }, () => createSession(api, agent.id, { session_key: key })),
    );
    expect(new Set(sessions.map((session) => session.id)).size).toBe(1);
    const other = await createAgent(api);
    expect((await createSession(api, other.id, { session_key: key })).id).not.toBe(sessions[0]?.id);
  });

  it('S8, S9: scope_name mirrors the key and scope_ref_id is the agent', async () => {
    const made = await createSession(api, agent.id, { session_key: unique('k') });
    expect(made).toMatchObject({ scope_name: made.session_key, scope_ref_id: agent.id, scope: 'agent' });
  });

  it('L8: session keys go from 1 to 512 characters, titles to 512', async () => {
    const key = unique('k').padEnd(512, 'x');
    expect((await createSession(api, agent.id, { session_key: key, title: 't'.repeat(512) })).session_key).toBe(key);
    for (const fields of [
      { session_key: 'x'.repeat(513) },
      { session_key: '' },
      { session_key: unique('k'), title: 't'.repeat(513) },
    ]) {
      await api.refused('bad_request', 'POST', '/v1/sessions', {
        body: { agent_id: agent.id, ...fields },
        invalid: true,
      });
    }
  });

  it('L8: a session key with half a character is refused: no other key is taken for it', async () => {
    for (const key of ['\ud83d', 'a\udc00b', '\udc00\ud83d']) {
      const body = { agent_id: agent.id, session_key: key };
      const details = await api.refused('invalid_argument', 'POST', '/v1/sessions', { body });
      expect(details).toMatchObject({ argument: 'session_key', reason: 'half_character' });
    }
    const whole = unique('k\u{1f600}');
    expect((await createSession(api, agent.id, { session_key: whole })).session_key).toBe(whole);
  });

  it('L11: metadata is at most 16 KiB serialized and 8 deep', async () => {
    const nested = (depth: number): Record<string, unknown> => (depth === 1 ? { v: 1 } : { n: nested(depth - 1) });
    const create = (metadata: object) => ({ body: { agent_id: agent.id, session_key: unique('k'), metadata } });
    await api.call('POST', '/v1/sessions', create(nested(8)));
    await api.refused('bad_request', 'POST', '/v1/sessions', create(nested(9)));
    await api.call('POST', '/v1/sessions', create({ v: 'x'.repeat(16_384 - '{"v":""}'.length) }));
    await api.refused('bad_request', 'POST', '/v1/sessions', create({ v: 'x'.repeat(16_385 - '{"v":""}'.length) }));
    await api.refused('bad_request', 'POST', '/v1/sessions', create({ v: 'é'.repeat(8_192) }));
  });

  it('G8: unknown members of the outer body are ignored, of the compaction policy refused', async () => {
    const made = await createSession(api, agent.id, { session_key: unique('k'), novelty: true });
    expect(made).not.toHaveProperty('novelty');
    await api.refused('bad_request', 'POST', '/v1/sessions', {
      body: { agent_id: agent.id, session_key: unique('k'), compaction_policy: { novelty: 1 } },
      invalid: true,
    });
  });

  it('an unknown agent answers 404', async () => {
    await api.refused('not_found', 'POST', '/v1/sessions', { body: { agent_id: 'agent_00000000000000000000000000' } });
  });
});

describe('sessions: model override and compaction policy', () => {
  it('S14: model_override is stored at creation and ignored on a resolved session', async () => {
    const key = unique('k');
    const made = await createSession(api, agent.id, { session_key: key, model_override: 'svc-scripted-1' });
    expect(made.model_override).toBe('svc-scripted-1');
    const without = await createSession(api, agent.id, { session_key: unique('k') });
    expect(without).not.toHaveProperty('model_override');
    const again = await createSession(api, agent.id, {
      session_key: without.session_key,
      model_override: 'svc-scripted-1',
    });
    expect(again).not.toHaveProperty('model_override');
    const byInvoke = await invoke(api, agent.id, 'x', {
      session: { session_key: without.session_key, model_override: 'svc-scripted-1' },
    });
    expect(byInvoke.session).not.toHaveProperty('model_override');
  });

  it('S14: a model outside the catalog is refused at creation and leaves nothing', async () => {
    const key = unique('k');
    expect(
      await api.refused('invalid_argument', 'POST', '/v1/sessions', {
        body: { agent_id: agent.id, session_key: key, model_override: 'no-such-model' },
      }),
    ).toEqual({ argument: 'model_override', reason: 'model_unavailable' });
    expect((await list({ agent_id: agent.id, session_key: key })).items).toEqual([]);
  });

  it('S14: a worker-routed agent takes none', async () => {
    const routed = await createAgent(api, { model_route: { mode: 'worker', provider: 'p', model: 'm' } });
    expect(
      await api.refused('invalid_argument', 'POST', '/v1/sessions', {
        body: { agent_id: routed.id, model_override: 'svc-scripted-1' },
      }),
    ).toMatchObject({ argument: 'model_override' });
  });

  it('S15: the policy is resolved at creation: server default, agent, request; later agent changes do not reach it', async () => {
    expect((await createSession(api, agent.id, { session_key: unique('k') })).compaction_policy).toMatchObject({
      strategy: 'auto',
      threshold: 'sm',
    });
    const shaped = await createAgent(api, { compaction_policy: { strategy: 'manual', threshold: 'lg' } });
    const made = await createSession(api, shaped.id, { session_key: 'kept' });
    expect(made.compaction_policy).toMatchObject({ strategy: 'manual', threshold: 'lg' });
    expect(
      (
        await createSession(api, shaped.id, {
          session_key: 'own',
          compaction_policy: { strategy: 'auto', threshold_tokens: 5000 },
        })
      ).compaction_policy,
    ).toEqual({ strategy: 'auto', threshold_tokens: 5000 });
    await api.patch(`/v1/agents/${shaped.id}`, { compaction_policy: { strategy: 'disabled' } });
    expect((await api.get<Session>(`/v1/sessions/${made.id}`)).compaction_policy).toMatchObject({
      strategy: 'manual',
      threshold: 'lg',
    });
  });

  it('S16: strategy none means disabled and is never returned', async () => {
    expect(
      (await createSession(api, agent.id, { session_key: unique('k'), compaction_policy: { strategy: 'none' } }))
        .compaction_policy?.strategy,
    ).toBe('disabled');
  });

  it('threshold and threshold_tokens exclude each other; tokens go from 1 to 10,000,000', async () => {
    const refused = (compaction_policy: object) =>
      api.refused('bad_request', 'POST', '/v1/sessions', {
        body: { agent_id: agent.id, session_key: unique('k'), compaction_policy },
        invalid: true,
      });
    await refused({ threshold: 'xs', threshold_tokens: 10 });
    await refused({ threshold_tokens: 0 });
    await refused({ threshold_tokens: 10_000_001 });
    await createSession(api, agent.id, {
      session_key: unique('k'),
      compaction_policy: { threshold_tokens: 10_000_000 },
    });
  });

  it('S17, S19: compaction is on the single read only; threshold_tokens is absent for manual and disabled', async () => {
    const made = await createSession(api, agent.id, {
      session_key: unique('k'),
      compaction_policy: { strategy: 'auto', threshold: 'md' },
    });
    const read = await api.get<Session>(`/v1/sessions/${made.id}`);
    expect(read.compaction).toEqual({ in_progress: false, threshold_tokens: 80_000 });
    expect((await list({ agent_id: agent.id, session_key: made.session_key })).items[0]).not.toHaveProperty(
      'compaction',
    );
    for (const strategy of ['manual', 'disabled']) {
      const still = await createSession(api, agent.id, { session_key: unique('k'), compaction_policy: { strategy } });
      expect((await api.get<Session>(`/v1/sessions/${still.id}`)).compaction).toEqual({ in_progress: false });
    }
  });
});

describe('sessions: change and delete', () => {
  it('S10: PATCH changes title, status, policy, effort and metadata; the policy is merged and thresholds swap', async () => {
    const made = await createSession(api, agent.id, { session_key: unique('k'), metadata: { a: 1, b: 2 } });
    const path = `/v1/sessions/${made.id}`;
    const changed = await api.patch<Session>(path, { title: 'new', thinking_effort: 'high', metadata: { c: 3 } });
    expect(changed).toMatchObject({ title: 'new', thinking_effort: 'high', metadata: { c: 3 } });
    expect(changed.version).toBeGreaterThan(made.version);
    expect(
      (await api.patch<Session>(path, { compaction_policy: { threshold_tokens: 777 } })).compaction_policy,
    ).toEqual({ strategy: 'auto', threshold_tokens: 777 });
    expect((await api.patch<Session>(path, { compaction_policy: { strategy: 'manual' } })).compaction_policy).toEqual({
      strategy: 'manual',
      threshold_tokens: 777,
    });
    expect((await api.patch<Session>(path, { compaction_policy: { threshold: 'xl' } })).compaction_policy).toEqual({
      strategy: 'manual',
      threshold: 'xl',
    });
    expect((await api.patch<Session>(path, { thinking_effort: 'inherit' })).thinking_effort ?? 'inherit').toBe(
      'inherit',
    );
    expect(await api.get<Session>(path)).toMatchObject({
      title: 'new',
      metadata: { c: 3 },
      compaction_policy: { strategy: 'manual', threshold: 'xl' },
    });
    await api.refused('bad_request', 'PATCH', path, {
      body: { compaction_policy: { threshold: 'xl', threshold_tokens: 1 } },
      invalid: true,
    });
    await api.refused('bad_request', 'PATCH', path, { body: { title: 't'.repeat(513) }, invalid: true });
  });

  it('S6: an archived session refuses a direct turn and comes back by its key', async () => {
    const key = unique('k');
    const made = await createSession(api, agent.id, { session_key: key });
    expect((await api.patch<Session>(`/v1/sessions/${made.id}`, { status: 'archived' })).status).toBe('archived');
    await api.refused('session_not_active', 'POST', `/v1/sessions/${made.id}/turns`, {
      body: { input: { content: [text('x')] } },
    });
    expect(await createSession(api, agent.id, { session_key: key })).toMatchObject({ id: made.id, status: 'active' });
    await api.patch<Session>(`/v1/sessions/${made.id}`, { status: 'archived' });
    expect((await invoke(api, agent.id, 'hi', { session: { session_key: key } })).session).toMatchObject({
      id: made.id,
      status: 'active',
    });
  });

  it('S40, S5: delete answers 204, then 404 on every path and absent from lists; the key is free with another id', async () => {
    const key = unique('k');
    const { ack } = await converse(api, agent.id, 'hi', { session: { session_key: key } });
    const path = `/v1/sessions/${ack.session_id}`;
    await api.delete(path);
    for (const [method, at] of [
      ['GET', path],
      ['GET', `${path}/messages`],
      ['GET', `${path}/turns`],
      ['GET', `${path}/turns/${ack.turn_id}`],
      ['GET', `${path}/transcript`],
      ['GET', `/v1/turns/${ack.turn_id}/messages`],
      ['POST', `${path}/cancel`],
      ['DELETE', path],
    ] as const)
      await api.refused('not_found', method, at);
    await api.refused('not_found', 'PATCH', path, { body: {} });
    await api.refused('not_found', 'POST', `${path}/turns`, { body: { input: { content: [text('x')] } } });
    expect((await list({ agent_id: agent.id, session_key: key })).items).toEqual([]);
    const next = await createSession(api, agent.id, { session_key: key });
    expect(next.id).not.toBe(ack.session_id);
    expect(next.message_count).toBe(0);
    expect((await list({ agent_id: agent.id, session_key: key })).items.map((session) => session.id)).toEqual([
      next.id,
    ]);
  });

  it('S5: twice deleted, three sessions have borne one key', async () => {
    const key = unique('k');
    const ids = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      const { id } = await createSession(api, agent.id, { session_key: key });
      ids.add(id);
      if (round < 2) await api.delete(`/v1/sessions/${id}`);
    }
    expect(ids.size).toBe(3);
  });

  it('S40: a session with an open turn is not deleted', async () => {
    const ack = await invoke(api, agent.id, endlessScript);
    expect(await api.refused('session_turn_active', 'DELETE', `/v1/sessions/${ack.session_id}`)).toMatchObject({
      turn_id: ack.turn_id,
    });
    await cancelTurn(api, ack);
    await api.delete(`/v1/sessions/${ack.session_id}`);
  });

  it('S41: cancelling an idle session gives it back unchanged; force is accepted', async () => {
    const made = await createSession(api, agent.id, { session_key: unique('k') });
    const answer = await api.call<Session>('POST', `/v1/sessions/${made.id}/cancel`, {
      query: { force: true },
      expect: 200,
    });
    expect(answer.body).toMatchObject({ id: made.id, version: made.version });
  });

  it('S42: retention is bounded between an hour and thirty days and counts from the last message', async () => {
    const made = await createSession(api, agent.id, {
      session_key: unique('k'),
      retention: { mode: 'bounded', ttl_seconds: 3600 },
    });
    const { expires_at: before } = made;
    const ack = await startTurn(api, made.id, 'hi');
    await settled(api, ack);
    const after = await api.get<Session>(`/v1/sessions/${made.id}`);
    expect(Date.parse(String(after.expires_at)) - Date.parse(String(after.last_message_at))).toBe(3_600_000);
    expect(before === undefined || before === null || Date.parse(before) <= Date.parse(String(after.expires_at))).toBe(
      true,
    );
    for (const ttl_seconds of [3599, 2_592_001]) {
      await api.refused('bad_request', 'POST', '/v1/sessions', {
        body: { agent_id: agent.id, session_key: unique('k'), retention: { mode: 'bounded', ttl_seconds } },
        invalid: true,
      });
    }
  });

  it('S43: without summary_model nothing is invented on the record', async () => {
    expect((await createSession(api, agent.id, { session_key: unique('k') })).compaction_policy).not.toHaveProperty(
      'summary_model',
    );
    expect(
      (
        await createSession(api, agent.id, {
          session_key: unique('k'),
          compaction_policy: { summary_model: 'svc-scripted-1' },
        })
      ).compaction_policy?.summary_model,
    ).toBe('svc-scripted-1');
  });
});

describe('sessions: lookups and lists', () => {
  it('by key and agent id or name: at most one', async () => {
    const key = unique('k');
    const made = await createSession(api, agent.id, { session_key: key });
    expect((await list({ session_key: key, agent_id: agent.id })).items.map((session) => session.id)).toEqual([
      made.id,
    ]);
    expect(
      (await list({ session_key: key, agent_name: agent.name, limit: 1 })).items.map((session) => session.id),
    ).toEqual([made.id]);
  });

  it('S11: both agent_id and agent_name are refused, with and without a key', async () => {
    await api.refused('session_agent_ref_conflict', 'GET', '/v1/sessions', {
      query: { agent_id: agent.id, agent_name: agent.name, session_key: 'k' },
    });
    await api.refused('session_agent_ref_conflict', 'GET', '/v1/sessions', {
      query: { agent_id: agent.id, agent_name: agent.name },
    });
  });

  it('S12: a key without an agent is refused', async () => {
    await api.refused('session_key_scope_required', 'GET', '/v1/sessions', { query: { session_key: 'k' } });
  });

  it('S13: no match and an unknown agent are empty lists', async () => {
    expect((await list({ agent_id: agent.id, session_key: unique('none') })).items).toEqual([]);
    expect((await list({ agent_id: 'agent_00000000000000000000000000', session_key: 'k' })).items).toEqual([]);
    expect((await list({ agent_name: unique('nobody'), session_key: 'k' })).items).toEqual([]);
    expect((await list({ agent_name: unique('nobody') })).items).toEqual([]);
  });

  it('rule S50: a look-up by key holds the other filters too, and takes no cursor (G4)', async () => {
    const own = await createAgent(api);
    const metadata = { provider: 'slack', integration_id: 'conn_1' };
    const { id } = await createSession(api, own.id, { session_key: 'k', metadata });
    const found = async (query: Record<string, string>) =>
      (await list({ agent_id: own.id, session_key: 'k', ...query })).items.map((session) => session.id);
    const kept = { since: '2020-01-01T00:00:00Z', status: 'active', ...metadata };
    expect(await found(kept)).toEqual([id]);
    for (const other of [
      { since: '2999-01-01T00:00:00Z' },
      { status: 'archived' },
      { provider: 'teams' },
      { integration_id: 'conn_2' },
    ])
      expect(await found({ ...kept, ...other })).toEqual([]);
    const { next_cursor: cursor } = await list({ limit: 1 });
    for (const foreign of ['nonsense', String(cursor)])
      await api.refused('invalid_cursor', 'GET', '/v1/sessions', {
        query: { agent_id: own.id, session_key: 'k', cursor: foreign },
      });
  });

  it('G5, G2: newest activity first, page by page, each session once', async () => {
    const own = await createAgent(api);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await converse(api, own.id, `hi ${index}`)).ack.session_id);
    const oldest = ids[0] ?? '';
    await settled(api, await startTurn(api, oldest, 'again'));
    const expected = [oldest, ...ids.slice(1).reverse()];
    await eventually('the list to follow', async () => (await list({ agent_id: own.id })).items[0]?.id === oldest);
    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const page: Page<Session> = await api.get<Page<Session>>('/v1/sessions', { agent_id: own.id, limit: 2, cursor });
      seen.push(...page.items.map((session) => session.id));
      expect(page.items.length).toBeLessThanOrEqual(2);
      more = page.has_more;
      expect(more).toBe(typeof page.next_cursor === 'string');
      cursor = page.next_cursor ?? undefined;
    }
    expect(seen).toEqual(expected);
  });

  it('filters by status and since; deleted ones are left out', async () => {
    const own = await createAgent(api);
    const active = await createSession(api, own.id, { session_key: 'a' });
    const archived = await createSession(api, own.id, { session_key: 'b' });
    await api.patch(`/v1/sessions/${archived.id}`, { status: 'archived' });
    const ids = async (query: Record<string, string>) =>
      (await list({ agent_id: own.id, ...query })).items.map((session) => session.id).sort();
    expect(await ids({ status: 'active' })).toEqual([active.id]);
    expect(await ids({ status: 'archived' })).toEqual([archived.id]);
    expect(await ids({ scope: 'agent' })).toEqual([active.id, archived.id].sort());
    expect(await ids({ since: '2020-01-01T00:00:00Z' })).toEqual([active.id, archived.id].sort());
    expect(await ids({ since: '2120-01-01T00:00:00Z' })).toEqual([]);
  });

  it('S49: q is part of the title or of the key, in any case', async () => {
    const own = await createAgent(api);
    const word = unique('order');
    const titled = await createSession(api, own.id, { session_key: 'a', title: `About ${word.toUpperCase()}!` });
    const keyed = await createSession(api, own.id, { session_key: `chat-${word}-1` });
    const renamed = await createSession(api, own.id, { session_key: 'c', title: word });
    const found = async (q: string) => (await list({ q, agent_id: own.id })).items.map(({ id }) => id).sort();
    expect(await found(word)).toEqual([titled.id, keyed.id, renamed.id].sort());
    expect(await found(`CHAT-${word}`)).toEqual([keyed.id]);
    await api.patch(`/v1/sessions/${renamed.id}`, { title: 'another' });
    expect(await found(word)).toEqual([titled.id, keyed.id].sort());
    expect(await found('%')).toEqual([]);
    await api.delete(`/v1/sessions/${keyed.id}`);
    expect(await found(word)).toEqual([titled.id]);
    expect((await list({ q: word })).items.map(({ id }) => id)).toEqual([titled.id]);
    expect((await list({ q: 'none', agent_id: own.id, session_key: 'a' })).items).toEqual([]);
    expect((await list({ q: word, agent_id: own.id, session_key: 'a' })).items).toHaveLength(1);
    await api.refused('bad_request', 'GET', '/v1/sessions', { query: { q: '' }, invalid: true });
    await api.refused('bad_request', 'GET', '/v1/sessions', { query: { q: 'x'.repeat(201) }, invalid: true });
  });

  it('S49: pages of a search hold each session once, none is empty, and their cursor is good for this search alone', async () => {
    const own = await createAgent(api);
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const { id } = await createSession(api, own.id, { session_key: `k${n}`, title: n % 2 ? 'wanted' : 'other' });
      if (n % 2) ids.unshift(id);
    }
    const query = { agent_id: own.id, q: 'WANTED', limit: 1 };
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let more = true; more;) {
      const page: Page<Session> = await api.get<Page<Session>>('/v1/sessions', { ...query, cursor });
      expect(page.items).toHaveLength(1);
      if (cursor)
        await api.refused('invalid_cursor', 'GET', '/v1/sessions', { query: { ...query, q: 'other', cursor } });
      seen.push(...page.items.map(({ id }) => id));
      more = page.has_more;
      cursor = page.next_cursor ?? undefined;
    }
    expect(seen).toEqual(ids);
  });

  it('S49: by members of the metadata, which must all be there, and by owner', async () => {
    const own = await createAgent(api);
    const { client, id: owner } = await person(api);
    const both = await createSession(client, own.id, {
      session_key: 'a',
      metadata: { team: 'red', 'tier:kind': 'x:1', seats: 5, deep: { team: 'blue' } },
    });
    const one = await createSession(api, own.id, { session_key: 'b', metadata: { team: 'red' } });
    const found = async (query: Record<string, string | string[]>) =>
      (await api.get<Page<Session>>('/v1/sessions', { agent_id: own.id, ...query })).items.map(({ id }) => id).sort();
    expect(await found({ metadata: 'team:red' })).toEqual([both.id, one.id].sort());
    expect(await found({ metadata: ['team:red', 'seats:5'] })).toEqual([both.id]);
    expect(await found({ metadata: 'tier:kind:x:1' })).toEqual([both.id]);
    expect(await found({ metadata: ['team:red', 'seats:6'] })).toEqual([]);
    expect(await found({ metadata: 'team:blue' })).toEqual([]);
    expect(await found({ owner_id: owner })).toEqual([both.id]);
    expect(await found({ owner_id: owner, metadata: 'team:red', q: 'A' })).toEqual([both.id]);
    expect(await found({ owner_id: one.id })).toEqual([]);
    await client.patch(`/v1/sessions/${both.id}`, { metadata: { team: 'green' } });
    expect(await found({ metadata: 'team:red' })).toEqual([one.id]);
    expect(await found({ metadata: 'team:green' })).toEqual([both.id]);
    const other = await person(api);
    expect(
      (await other.client.get<Page<Session>>('/v1/sessions', { metadata: 'team:green', agent_id: own.id })).items,
    ).toEqual([]);
    for (const metadata of ['team', ':red', ['a:1', 'b:1', 'c:1', 'd:1', 'e:1']])
      await api.refused('bad_request', 'GET', '/v1/sessions', { query: { metadata }, invalid: true });
  });

  it('G4: cursors of another list or filter, and damaged ones, are refused', async () => {
    const own = await createAgent(api);
    for (const key of ['a', 'b']) await createSession(api, own.id, { session_key: key });
    const { next_cursor: cursor } = await list({ agent_id: own.id, limit: 1 });
    expect(typeof cursor).toBe('string');
    await api.refused('invalid_cursor', 'GET', '/v1/sessions', {
      query: { agent_id: agent.id, limit: 1, cursor: String(cursor) },
    });
    await api.refused('invalid_cursor', 'GET', '/v1/agents', { query: { cursor: String(cursor) } });
    await api.refused('invalid_cursor', 'GET', '/v1/sessions', { query: { agent_id: own.id, cursor: 'nonsense' } });
    await api.refused('invalid_cursor', 'GET', '/v1/sessions', {
      query: { agent_id: own.id, cursor: `${String(cursor).slice(0, -2)}zz` },
    });
  });

  it("A28: a person's session is private to that person and org admins", async () => {
    const one = await person(api);
    const other = await person(api);
    const made = await createSession(one.client, agent.id, { session_key: unique('mine') });
    expect(made).toMatchObject({ visibility: 'private', owner: { kind: 'person', id: one.id }, posture: 'only_you' });
    await other.client.refused('not_found', 'GET', `/v1/sessions/${made.id}`);
    await other.client.refused('not_found', 'GET', `/v1/sessions/${made.id}/messages`);
    expect(
      (await other.client.get<Page<Session>>('/v1/sessions', { agent_id: agent.id, session_key: made.session_key }))
        .items,
    ).toEqual([]);
    expect((await api.get<Session>(`/v1/sessions/${made.id}`)).posture).toBe('someone_else');
  });

  it('A28: an administrator opens a session for a person; what is no person of the organization owns none', async () => {
    const one = await person(api);
    const machine = await api.post<{ id: string }>('/v1/principals', { name: unique('machine') }, 201);
    const named = (owner: object) => ({ agent_id: agent.id, mode: 'new', owner });
    const made = await api.post<Session>('/v1/sessions', named({ kind: 'person', id: one.id }), 200);
    expect((await one.client.get<Session>(`/v1/sessions/${made.id}`)).owner).toEqual({ kind: 'person', id: one.id });
    const unknown = ['user_00000000000000000000000000', agent.id, machine.id];
    for (const owner of [...unknown.map((id) => ({ kind: 'person', id })), { kind: 'team', id: one.id }]) {
      const input = { content: [text('hello')] };
      for (const [path, body] of [
        ['/v1/sessions', named(owner)],
        ['/v1/agents/invoke', { agent_ref: { id: agent.id }, session: { mode: 'new', owner }, input }],
      ] as const)
        expect(await api.refused('invalid_argument', 'POST', path, { body })).toMatchObject({ argument: 'owner' });
    }
    // a machine that names a person as the team would act for that person in turns of outcomes (rule A33)
    const caller = await callerWith(api, 'User');
    await caller.refused('invalid_argument', 'POST', '/v1/sessions', { body: named({ kind: 'team', id: one.id }) });
    const own = await caller.post<Session>('/v1/sessions', named({ kind: 'team', id: null }), 200);
    expect(own.owner).toEqual({ kind: 'team', id: null });
  });

  it('A28: the owner of a session is a person of the organization', async () => {
    const one = await person(api);
    const owned = (id?: string) => ({ session_key: unique('owned'), owner: { kind: 'person', ...(id && { id }) } });
    for (const id of ['user_00000000000000000000000000', agent.id])
      for (const [path, body] of [
        ['/v1/sessions', { agent_id: agent.id, ...owned(id) }],
        ['/v1/agents/invoke', invokeBody(agent.id, 'x', { session: owned(id) })],
      ] as const)
        expect(await api.refused('invalid_argument', 'POST', path, { body })).toEqual({
          argument: 'owner',
          reason: 'unknown_person',
        });
    const made = await createSession(api, agent.id, { ...owned(one.id), visibility: 'private' });
    expect((await one.client.get<Session>(`/v1/sessions/${made.id}`)).posture).toBe('only_you');
  });

  it('G8: what is ignored of a retention is not kept', async () => {
    const session = { session_key: unique('kept'), retention: { mode: 'bounded', ttl_seconds: 3600, grace: 5 } };
    const body = { agent_id: agent.id, ...session };
    const answer = await api.send('POST', '/v1/sessions', { body, invalid: true });
    expect(answer.headers.get('x-svc-ignored')).toBe('/retention/grace');
    expect(answer.body).toMatchObject({ session_key: session.session_key });
    expect((answer.body as Session).retention).toEqual({ mode: 'bounded', ttl_seconds: 3600 });
  });

  it('G15: what a new session lacks is named where it stands in the body', async () => {
    const lacks = async (path: string, body: object) =>
      ((await api.refused('bad_request', 'POST', path, { body }))['issues'] as { path: string }[])[0]?.path;
    for (const [session, missing] of [
      [{ retention: { mode: 'bounded' } }, '/retention/ttl_seconds'],
      [{ owner: { kind: 'person' } }, '/owner/id'],
    ] as const) {
      const spec = { session_key: unique('lacks'), ...session };
      expect(await lacks('/v1/sessions', { agent_id: agent.id, ...spec })).toBe(missing);
      expect(await lacks('/v1/agents/invoke', invokeBody(agent.id, 'x', { session: spec }))).toBe(`/session${missing}`);
    }
  });

  it('counters: rows, tokens, model and last activity are facts of the turns', async () => {
    const { ack, turn } = await converse(api, agent.id, 'count me');
    const read = await api.get<Session>(`/v1/sessions/${ack.session_id}`);
    expect(read).toMatchObject({
      message_count: (await allRows(api, ack.session_id)).length,
      token_input_total: turn.usage?.input_tokens,
      token_output_total: turn.usage?.output_tokens,
      model: 'svc-scripted-1',
      last_message_at: expect.any(String) as string,
    });
    expect(typeof read.model_provider).toBe('string');
  });
});
