import {
  Client,
  type Message,
  type Page,
  type Turn,
  allRows,
  createAgent,
  eventually,
  invoke,
  person,
  readTurn,
  script,
  settled,
  startTurn,
  unique,
} from '../harness/index.js';

interface Routine {
  id: string;
  status: string;
  trigger: string;
  name: string;
  pause_reason?: string;
  next_fire_at?: string;
  occurrence_count: number;
  following: boolean;
  follower_count: number;
  owner_kind: string;
  owner_id?: string;
  managed_by: string;
  timezone: string;
  completed_at?: string;
}
interface Occurrence {
  id: string;
  routine_id: string;
  status: string;
  trigger: string;
  session_id?: string;
  turn_id?: string;
  source_event_id?: string;
  event_type?: string;
  error_code?: string;
  outcome?: string;
  scheduled_at: string;
  triggered_by?: string;
}

jest.setTimeout(180_000);

const api = Client.owner();
const free = { per_occurrence_ceiling_milli: 0, daily_ceiling_milli: 0 };

const routine = (agentId: string, more: Record<string, unknown>, client = api) =>
  client.post<Routine>('/v1/routines', { agent_id: agentId, instructions: 'Look at it.', ...free, ...more }, 201);
const read = (id: string) => api.get<Routine>(`/v1/routines/${id}`);
async function runs(routineId: string, query: Record<string, string | string[]> = {}): Promise<Occurrence[]> {
  return (await api.get<Page<Occurrence>>('/v1/routines/occurrences', { routine_id: routineId, limit: 100, ...query }))
    .items;
}
async function ended(routineId: string, count: number): Promise<Occurrence[]> {
  return eventually(`${count} ended runs`, async () => {
    const found = await runs(routineId);
    return found.length >= count && found.every(({ status }) => status !== 'pending' && status !== 'admitted')
      ? found
      : null;
  });
}
const table = async () =>
  api.post<{ id: string; name: string }>(
    '/v1/tables',
    {
      name: unique('r').replaceAll('-', '_'),
      schema: { identity_column: 'id', columns: [{ name: 'id', type: 'string' }] },
    },
    201,
  );
const insert = (tableId: string, id: string) =>
  api.post<{ id: string }>(`/v1/tables/${tableId}/rows`, { data: { id } }, 201);
const texts = (rows: Message[]) =>
  rows.flatMap(({ content }) => content.map((block) => String(block.text ?? block['content'] ?? '')));
/** Marks the end of what happened so far: an event that a routine of its own listens to, seen to have run. */
async function passed(agentId: string): Promise<void> {
  const { id } = await table();
  const marker = await routine(agentId, {
    event: { event_type: 'table.row.inserted', condition: `event.table_id == "${id}"` },
  });
  await insert(id, 'mark');
  await ended(marker.id, 1);
  await api.call('DELETE', `/v1/routines/${marker.id}`);
}

describe('routines', () => {
  let agentId: string;
  beforeAll(async () => {
    agentId = (await createAgent(api)).id;
  });

  it('X3: an event starts a turn of the agent with the event as input, once', async () => {
    const { id: tableId } = await table();
    const made = await routine(agentId, {
      name: 'Rows',
      event: { event_type: 'table.row.*', condition: `event.table_id == "${tableId}" && event.identity != skip` },
    });
    expect(made).toMatchObject({ status: 'active', trigger: 'event', occurrence_count: 0, following: false });
    await insert(tableId, 'skip');
    const row = await insert(tableId, 'a');
    const [run] = await ended(made.id, 1);
    expect(run).toMatchObject({
      status: 'completed',
      trigger: 'event',
      event_type: 'table.row.inserted',
      outcome: 'completed',
    });
    const turn = await api.get<Turn & { routine_name: string }>(
      `/v1/sessions/${run?.session_id ?? ''}/turns/${run?.turn_id ?? ''}`,
    );
    expect(turn).toMatchObject({ status: 'completed', routine_name: 'Rows' });
    const rows = await allRows(api, String(run?.session_id));
    const [instructions, event] = texts(rows);
    expect(instructions).toBe('Look at it.');
    expect(JSON.parse(event ?? '')).toMatchObject({
      event_type: 'table.row.inserted',
      event: { row_id: row.id, identity: 'a' },
      meta: { id: run?.source_event_id, table_id: tableId },
    });
    expect(await api.get(`/v1/sessions/${run?.session_id ?? ''}`)).toMatchObject({
      origin: 'routine',
      agent_id: agentId,
    });
    expect(await runs(made.id)).toHaveLength(1);
    expect(await read(made.id)).toMatchObject({ occurrence_count: 1, last_fire_at: expect.any(String) as string });
  });

  it('X3: provider events match by connection, and a revoked source pauses it until it is repaired', async () => {
    const provider = `prov${Date.now().toString(36)}`;
    const access = (integration_access: object[]) => api.patch(`/v1/agents/${own.id}`, { integration_access });
    const own = await createAgent(api, { integration_access: [{ provider, act_as_user: true }] });
    const made = await routine(own.id, { event: { event_type: `${provider}.issue.opened`, integration_id: 'int_1' } });
    expect(made).toMatchObject({ act_as_user_providers: [] });
    const send = (id: string, integration: string) =>
      api.post('/v1/inbound/events', {
        id,
        event_type: `${provider}.issue.opened`,
        integration_id: integration,
        event: { n: id },
      });
    await send('1', 'int_2');
    await send('2', 'int_1');
    await send('2', 'int_1');
    expect(await ended(made.id, 1)).toMatchObject([{ event_type: `${provider}.issue.opened`, status: 'completed' }]);
    await access([]);
    await eventually('the pause', async () => (await read(made.id)).status === 'paused');
    expect(await read(made.id)).toMatchObject({ status: 'paused', pause_reason: 'source_revoked' });
    expect(await api.post(`/v1/routines/${made.id}/resume`)).toMatchObject({
      status: 'paused',
      pause_reason: 'source_revoked',
    });
    await api.refused('conflict', 'POST', `/v1/routines/${made.id}/run`);
    await send('3', 'int_1');
    await access([{ provider, pin: 'int_1' }]);
    expect(await api.post(`/v1/routines/${made.id}/resume`)).toMatchObject({ status: 'active' });
    await send('4', 'int_1');
    const found = await ended(made.id, 2);
    expect(found).toHaveLength(2);
    await api.refused('invalid_argument', 'PATCH', `/v1/routines/${made.id}`, {
      body: { event: { event_type: `${provider}.issue.opened`, integration_id: 'int_2' } },
    });
  });

  it('X3: a schedule fires when it is due, and ends after its last time', async () => {
    const made = await routine(agentId, { schedule: { interval: '1s', max_occurrences: 2 } });
    expect(made).toMatchObject({ trigger: 'schedule', timezone: 'UTC', next_fire_at: expect.any(String) as string });
    await eventually('the end', async () => (await read(made.id)).status === 'completed');
    const found = await ended(made.id, 2);
    const began = found.filter(({ status }) => status !== 'missed');
    expect(began).toHaveLength(2);
    expect(began.every(({ status, trigger }) => status === 'completed' && trigger === 'schedule')).toBe(true);
    expect(new Set(found.map(({ scheduled_at }) => scheduled_at)).size).toBe(found.length);
    expect(await read(made.id)).toMatchObject({ occurrence_count: 2, completed_at: expect.any(String) as string });
  });

  it('T22: its turns queue behind others and make no session busy', async () => {
    const first = await invoke(api, agentId, script({ wait_ms: 1500 }, { say: 'slow' }));
    const made = await routine(agentId, {
      session_id: first.session_id,
      schedule: { at: new Date(Date.now() + 3_600_000).toISOString() },
      instructions: script({ wait_ms: 1500 }, { say: 'from the routine' }),
    });
    const run = await api.post<Occurrence>(`/v1/routines/${made.id}/run`, undefined, 202);
    expect(run).toMatchObject({ trigger: 'manual', session_id: first.session_id });
    expect(await settled(api, first)).toMatchObject({ status: 'completed' });
    expect(await settled(api, await startTurn(api, first.session_id, 'and me'))).toMatchObject({ status: 'completed' });
    expect(await ended(made.id, 1)).toMatchObject([{ status: 'completed', turn_id: run.turn_id }]);
    const said = texts(await allRows(api, first.session_id));
    expect(said.indexOf('slow')).toBeLessThan(said.indexOf('from the routine'));
    expect(said.indexOf('from the routine')).toBeLessThan(said.indexOf('You said: and me'));
    expect(
      (await api.get<Page<Routine>>('/v1/routines', { origin_session_id: first.session_id })).items.map(({ id }) => id),
    ).toEqual([made.id]);
  });

  it('never runs for what its own runs do, alone or in a ring', async () => {
    const { id: tableId, name } = await table();
    const saving = (id: string) =>
      script({ call: { name: 'svc_table_save_row', input: { table: name, data: { id } } } }, { say: 'saved' });
    const writer = await createAgent(api, {
      action_selectors: [{ selector_type: 'exact', selector: 'svc.table.save_row' }],
    });
    const on = (condition: string) => ({
      event_type: 'table.row.inserted',
      condition: `event.table_id == "${tableId}" && ${condition}`,
    });
    const alone = await routine(writer.id, {
      event: on('event.identity in ["go", "one"]'),
      instructions: saving('one'),
    });
    const ringA = await routine(writer.id, { event: on('event.identity in ["go", "b"]'), instructions: saving('a') });
    const ringB = await routine(writer.id, { event: on('event.identity == "a"'), instructions: saving('b') });
    const talk = await routine(writer.id, {
      event: {
        event_type: 'session.message.created',
        condition: `event.agent_id == "${writer.id}" && meta.role == "assistant"`,
      },
    });
    await insert(tableId, 'go');
    await Promise.all([alone, ringA, ringB].map(({ id }) => ended(id, 1)));
    await ended(talk.id, 1);
    await passed(agentId);
    expect((await Promise.all([alone, ringA, ringB].map(({ id }) => runs(id)))).map((found) => found.length)).toEqual([
      1, 1, 1,
    ]);
    const chatter = await runs(talk.id);
    expect(chatter.length).toBeGreaterThan(0);
    await api.call('DELETE', `/v1/routines/${talk.id}`);
  });

  it('pauses and resumes: what happened meanwhile starts nothing', async () => {
    const { id: tableId } = await table();
    const made = await routine(agentId, {
      event: { event_type: 'table.row.inserted', condition: `event.table_id == "${tableId}"` },
    });
    expect(await api.post(`/v1/routines/${made.id}/pause`)).toMatchObject({ status: 'paused' });
    await insert(tableId, 'meanwhile');
    expect(await api.post(`/v1/routines/${made.id}/resume`)).toMatchObject({ status: 'active' });
    await insert(tableId, 'after');
    const found = await ended(made.id, 1);
    await passed(agentId);
    expect(found).toHaveLength(1);
    expect(await runs(made.id)).toHaveLength(1);
    expect((await api.call<Routine>('DELETE', `/v1/routines/${made.id}`, { expect: 200 })).body).toMatchObject({
      status: 'cancelled',
    });
    await insert(tableId, 'too late');
    await passed(agentId);
    expect(await runs(made.id)).toHaveLength(1);
    await api.refused('conflict', 'POST', `/v1/routines/${made.id}/run`);
    const { items } = await api.get<Page<{ action: string; status: string; principal_id: string }>>(
      `/v1/routines/${made.id}/changes`,
    );
    expect(items.map(({ action }) => action)).toEqual(['cancelled', 'resumed', 'paused', 'created']);
    const page = await api.get<Page<{ action: string }>>(`/v1/routines/${made.id}/changes`, { limit: 3 });
    const rest = await api.get<Page<{ action: string }>>(`/v1/routines/${made.id}/changes`, {
      limit: 3,
      cursor: String(page.next_cursor),
    });
    expect([...page.items, ...rest.items].map(({ action }) => action)).toEqual([
      'cancelled',
      'resumed',
      'paused',
      'created',
    ]);
  });

  it('says what it does not take', async () => {
    const refused = (code: string, body: object) =>
      api.refused(code, 'POST', '/v1/routines', { body: { agent_id: agentId, instructions: 'x', ...free, ...body } });
    await refused('unsupported_routine_kind', { kind: 'notify', schedule: { interval: '1h' } });
    expect(
      await refused('invalid_argument', { event: { event_type: 'interaction.http_subscriber.dispatch' } }),
    ).toMatchObject({ argument: 'event', reason: 'unknown_event_type' });
    expect(await refused('invalid_argument', { event: { event_type: 'routine.*' } })).toMatchObject({
      reason: 'unknown_event_type',
    });
    expect(await refused('invalid_argument', { event: { event_type: 'table' } })).toMatchObject({
      reason: 'invalid_event_type',
    });
    expect(await refused('invalid_argument', { event: { event_type: 'table.*', condition: 'event.' } })).toMatchObject({
      reason: 'invalid_condition',
    });
    expect(await refused('invalid_argument', { schedule: { cron: '* * * * * *' } })).toMatchObject({
      argument: 'schedule',
      reason: 'invalid_cron',
    });
    expect(await refused('invalid_argument', { schedule: { cron: '* * * * *', timezone: 'Mars/Base' } })).toMatchObject(
      { reason: 'unknown_timezone' },
    );
    expect(
      await refused('invalid_argument', { agent_id: 'agent_00000000000000000000000000', schedule: { interval: '1h' } }),
    ).toMatchObject({ argument: 'agent_id' });
    expect(
      await refused('invalid_argument', { session_id: 'ses_00000000000000000000000000', schedule: { interval: '1h' } }),
    ).toMatchObject({ argument: 'session_id' });
    await api.refused('bad_request', 'POST', '/v1/routines', {
      invalid: true,
      body: {
        agent_id: agentId,
        instructions: 'x',
        ...free,
        schedule: { interval: '1h' },
        event: { event_type: 'table.*' },
      },
    });
    await api.refused('bad_request', 'POST', '/v1/routines', {
      invalid: true,
      body: { agent_id: agentId, instructions: 'x', ...free },
    });
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/run'],
      ['GET', '/changes'],
      ['GET', '/principals'],
    ] as const) {
      await api.refused('not_found', method, `/v1/routines/rtn_00000000000000000000000000${path}`);
    }
    await api.refused('not_found', 'GET', '/v1/routines/occurrences', {
      query: { routine_id: 'rtn_00000000000000000000000000' },
    });
    await api.refused('not_found', 'POST', '/v1/routines/proposals/rprop_00000000000000000000000000/approve');
    await api.refused('not_found', 'POST', '/v1/routines/proposals/rprop_00000000000000000000000000/dismiss');
  });

  it("is a person's own, with a roster that everybody who sees it may join", async () => {
    const [ada, bob] = await Promise.all([person(api), person(api)]);
    const open = await createAgent(api, { visibility: 'organization' });
    const schedule = { at: new Date(Date.now() + 3_600_000).toISOString() };
    const own = await api.post<Routine>(
      '/v1/routines',
      {
        agent_id: open.id,
        instructions: 'x',
        ...free,
        schedule,
        managed_by: 'named',
        follower_principal_ids: [ada.id],
      },
      201,
    );
    expect(own).toMatchObject({ follower_count: 1, following: false });
    expect(await ada.client.get(`/v1/routines/${own.id}`)).toMatchObject({ following: true });
    await bob.client.post(
      `/v1/routines/${own.id}/principals`,
      { principal_id: bob.id, relationship: 'follower', level: 'failures_only' },
      200,
    );
    await bob.client.refused('permission_denied', 'POST', `/v1/routines/${own.id}/principals`, {
      body: { principal_id: bob.id, relationship: 'manager' },
    });
    const { items } = await api.post<{ items: { principal_id: string; relationship: string; kind: string }[] }>(
      `/v1/routines/${own.id}/principals`,
      { principal_id: ada.id, relationship: 'responsible' },
      200,
    );
    expect(items.map(({ principal_id: id, relationship }) => [id, relationship])).toEqual([
      [ada.id, 'follower'],
      [bob.id, 'follower'],
      [ada.id, 'responsible'],
    ]);
    await api.refused('conflict', 'DELETE', `/v1/routines/${own.id}/principals/${ada.id}`);
    await api.call('DELETE', `/v1/routines/${own.id}/principals/${ada.id}`, {
      query: { relationship: 'follower' },
      expect: 204,
    });
    await bob.client.call('DELETE', `/v1/routines/${own.id}/principals/${bob.id}`, { expect: 204 });
    expect(await read(own.id)).toMatchObject({ follower_count: 0 });
    await api.refused('not_found', 'DELETE', `/v1/routines/${own.id}/principals/${bob.id}`);
  });

  it('changes, and lists page by page', async () => {
    const own = await createAgent(api);
    const made = await routine(own.id, { schedule: { cron: '30 9 * * 1-5', timezone: 'Europe/Berlin' } });
    expect(made).toMatchObject({ name: 'Look at it.', timezone: 'Europe/Berlin', managed_by: 'team' });
    const changed = await api.patch<Routine>(`/v1/routines/${made.id}`, {
      name: 'Mornings',
      instructions: 'Again.',
      event: { event_type: 'email.received' },
    });
    expect(changed).toMatchObject({ name: 'Mornings', trigger: 'event', event: { event_type: 'email.received' } });
    expect(changed.next_fire_at).toBeUndefined();
    await routine(own.id, { schedule: { interval: '24h' } });
    const first = await api.get<Page<Routine>>('/v1/routines', { agent_id: own.id, limit: 1 });
    const second = await api.get<Page<Routine>>('/v1/routines', {
      agent_id: own.id,
      limit: 1,
      cursor: String(first.next_cursor),
    });
    expect([first.items[0]?.id, first.has_more, second.items.length, second.has_more]).toEqual([
      made.id,
      true,
      1,
      false,
    ]);
    for (let count = 1; count <= 2; count += 1) await api.post(`/v1/routines/${made.id}/run`, undefined, 202);
    await ended(made.id, 2);
    const page = await api.get<Page<Occurrence>>('/v1/routines/occurrences', {
      routine_id: made.id,
      limit: 1,
      status: ['completed', 'failed'],
    });
    expect([page.items.length, page.has_more]).toEqual([1, true]);
    expect(await runs(made.id, { since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
    expect(await runs(made.id, { until: new Date(Date.now() + 60_000).toISOString(), status: ['skipped'] })).toEqual(
      [],
    );
  });

  it('an agent that is gone pauses it, and says so in its run', async () => {
    const own = await createAgent(api);
    const { id: tableId } = await table();
    const made = await routine(own.id, {
      event: { event_type: 'table.row.inserted', condition: `event.table_id == "${tableId}"` },
    });
    await api.call('DELETE', `/v1/agents/${own.id}`);
    await eventually('the pause', async () => (await read(made.id)).status === 'paused');
    expect(await read(made.id)).toMatchObject({ pause_reason: 'agent_unavailable' });
    const idle = await createAgent(api, { status: 'inactive' });
    const waiting = await routine(idle.id, { schedule: { interval: '24h' } });
    expect(await api.post<Occurrence>(`/v1/routines/${waiting.id}/run`, undefined, 202)).toMatchObject({
      status: 'failed',
      error_code: 'agent_inactive',
    });
    expect(await read(waiting.id)).toMatchObject({ status: 'active' });
  });

  it('a failed turn is a failed run, a cancelled one too', async () => {
    const made = await routine(agentId, {
      schedule: { interval: '24h' },
      instructions: script({ error: { type: 'model_error', message: 'no' } }),
    });
    await api.post(`/v1/routines/${made.id}/run`, undefined, 202);
    expect(await ended(made.id, 1)).toMatchObject([{ status: 'failed', outcome: 'failed', error_code: 'model_error' }]);
    const slow = await routine(agentId, {
      schedule: { interval: '24h' },
      instructions: script({ wait_ms: 60_000 }, { say: 'late' }),
    });
    const run = await api.post<Occurrence>(`/v1/routines/${slow.id}/run`, undefined, 202);
    const turn = { session_id: String(run.session_id), turn_id: String(run.turn_id) };
    await api.post(`/v1/sessions/${turn.session_id}/turns/${turn.turn_id}/cancel`);
    expect(await readTurn(api, turn)).toMatchObject({ status: 'cancelled' });
    expect(await ended(slow.id, 1)).toMatchObject([
      { status: 'failed', outcome: 'cancelled', error_code: 'cancelled' },
    ]);
  });
});
