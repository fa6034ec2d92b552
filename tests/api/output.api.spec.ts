import {
  type Agent,
  Client,
  type Page,
  type Turn,
  type TurnAck,
  allRows,
  cancelTurn,
  createAgent,
  createSession,
  invokeBody,
  reaches,
  rowsWithContext,
  said,
  script,
  settled,
  text,
  unique,
  timeFor,
} from '../harness/index.js';

interface WithOutput extends Turn {
  output?: Record<string, unknown>;
  output_source?: string;
}

const api = Client.owner();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('output') });
});

const citySchema = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
};
const cityOutput = { city: 'Oslo', degrees: -4 };
const submit = (input: object) => ({ call: { name: 'svc_submit_output', input } });
const start = (input: string, schema: object = citySchema, how = {}): Promise<TurnAck> =>
  api.post<TurnAck>('/v1/agents/invoke', { ...invokeBody(agent.id, input, how), output: { schema } }, 202);

async function ended(input: string, schema: object = citySchema): Promise<{ ack: TurnAck; turn: WithOutput }> {
  const ack = await start(input, schema);
  return { ack, turn: (await settled(api, ack)) as WithOutput };
}

describe('output contract: by text', () => {
  it('T28: an answer that is a JSON object of the schema is the output', async () => {
    const { turn } = await ended(script({ say: JSON.stringify(cityOutput) }));
    expect(turn).toMatchObject({ status: 'completed', output: cityOutput, output_source: 'text', usage: { calls: 1 } });
  });

  it('T28: also in a code fence', async () => {
    for (const fenced of [
      `\`\`\`json\n${JSON.stringify(cityOutput)}\n\`\`\``,
      `\`\`\`\n${JSON.stringify(cityOutput, null, 2)}\n\`\`\``,
    ]) {
      expect((await ended(script({ say: fenced }))).turn).toMatchObject({
        status: 'completed',
        output: cityOutput,
        output_source: 'text',
      });
    }
  });

  it.each([
    ['plain text', 'It is cold in Oslo.'],
    ['a list', JSON.stringify([cityOutput])],
    ['a wrong type', JSON.stringify({ ...cityOutput, degrees: 'cold' })],
    ['a missing member', JSON.stringify({ city: 'Oslo' })],
    ['one member too many', JSON.stringify({ ...cityOutput, wind: 1 })],
    ['text around it', `Here: ${JSON.stringify(cityOutput)}`],
    ['nothing at all', ' '],
  ])('T28, T12: %s fails the turn with output_schema_unsatisfied, and what was said stays', async (_name, answer) => {
    const { ack, turn } = await ended(script({ say: answer }));
    expect(turn).toMatchObject({
      status: 'failed',
      error_type: 'output_schema_unsatisfied',
      error_message: expect.any(String) as string,
    });
    for (const field of ['output', 'output_source', 'usage']) expect(turn).not.toHaveProperty(field);
    expect(said((await allRows(api, ack.session_id)).at(-1))).toBe(answer);
  });
});

describe('output contract: names that every object inherits', () => {
  const said = (output: object) => script({ say: JSON.stringify(output) });

  it('T28: an optional member may be left out', async () => {
    const properties = { constructor: { type: 'string' }, points: { type: 'integer' } };
    const { turn } = await ended(said({ points: 3 }), { type: 'object', properties });
    expect(turn).toMatchObject({ status: 'completed', output: { points: 3 } });
  });

  it('T28: a required one may not', async () => {
    const { turn } = await ended(said({ points: 3 }), { type: 'object', required: ['constructor'] });
    expect(turn).toMatchObject({ status: 'failed', error_type: 'output_schema_unsatisfied' });
  });
});

describe('output contract: by the tool', () => {
  it('T28: a submission that fits is the output and ends the turn', async () => {
    const { ack, turn } = await ended(script(submit(cityOutput), { say: 'never said' }));
    expect(turn).toMatchObject({ status: 'completed', output: cityOutput, output_source: 'tool', usage: { calls: 1 } });
    const rows = await allRows(api, ack.session_id);
    expect(rows.map((row) => row.content[0]?.type)).toEqual(['text', 'tool_use', 'tool_result']);
    expect(rows[2]?.content[0]).toMatchObject({ tool_use_id: rows[1]?.content[0]?.id, is_error: false });
  });

  it('one that does not fit is told to the model, which may try again', async () => {
    const { ack, turn } = await ended(
      script(submit({ city: 'Oslo' }), { read: 'last_tool_result' }, submit(cityOutput)),
    );
    expect(turn).toMatchObject({ status: 'completed', output: cityOutput, output_source: 'tool', usage: { calls: 2 } });
    const rows = await allRows(api, ack.session_id);
    expect(rows[2]?.content[0]).toMatchObject({ type: 'tool_result', is_error: true });
    expect(said(rows[3])).toMatch(/degrees|required/);
  });

  it('without an accepted one the text decides', async () => {
    expect((await ended(script(submit({}), { say: JSON.stringify(cityOutput) }))).turn).toMatchObject({
      status: 'completed',
      output_source: 'text',
    });
    expect((await ended(script(submit({}), { say: 'no luck' }))).turn).toMatchObject({
      status: 'failed',
      error_type: 'output_schema_unsatisfied',
    });
  });

  it('a nudge that comes in with the submission is answered before the turn ends with that output', async () => {
    const ack = await start(script({ wait_ms: await timeFor(api, 6) }, submit(cityOutput)));
    await reaches(api, ack, 'running');
    await api.post(`/v1/sessions/${ack.session_id}/nudges`, { content: 'hurry' }, 202);
    const turn = (await settled(api, ack)) as WithOutput;
    expect(turn).toMatchObject({ status: 'completed', output: cityOutput, output_source: 'tool' });
    expect((await allRows(api, ack.session_id)).map((row) => row.content[0]?.type)).toEqual([
      'text',
      'tool_use',
      'tool_result',
      'reminder',
      'text',
    ]);
  });

  it('a turn without a contract has neither the tool nor an output', async () => {
    const ack = await api.post<TurnAck>(
      '/v1/agents/invoke',
      invokeBody(agent.id, script(submit(cityOutput), { say: JSON.stringify(cityOutput) })),
      202,
    );
    const turn = await settled(api, ack);
    expect(turn.status).toBe('completed');
    for (const field of ['output', 'output_source']) expect(turn).not.toHaveProperty(field);
    expect((await allRows(api, ack.session_id))[2]?.content[0]).toMatchObject({ type: 'tool_result', is_error: true });
  });

  it('a cancelled turn has no output', async () => {
    const ack = await start(script(submit({}), { wait_ms: 600_000 }));
    await reaches(api, ack, 'running');
    expect(await cancelTurn(api, ack)).not.toHaveProperty('output');
  });
});

describe('output contract: its schema', () => {
  it('L17: an object root, no $ref, up to 32 KiB, and a schema at all; else 400 before anything is written', async () => {
    const key = unique('k');
    const how = { session: { session_key: key } };
    const refused = (schema: object) =>
      api.refused('bad_request', 'POST', '/v1/agents/invoke', {
        body: { ...invokeBody(agent.id, 'CANARY', how), output: { schema } },
      });
    await refused({ type: 'array', items: {} });
    await refused({});
    await refused({ type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: {} } });
    await refused({ type: 'object', properties: { a: { type: 'no-such-type' } } });
    await refused({ type: 'object', description: 'x'.repeat(32 * 1024) });
    await refused({ type: 'object', $async: true });
    await api.refused('bad_request', 'POST', '/v1/agents/invoke', {
      body: { ...invokeBody(agent.id, 'CANARY', how), output: {} },
      invalid: true,
    });
    expect(
      (await api.get<{ items: object[] }>('/v1/sessions', { agent_id: agent.id, session_key: key })).items,
    ).toEqual([]);
    const padding = 32 * 1024 - JSON.stringify({ type: 'object', description: '' }).length;
    const ack = await start(script({ say: '{}' }), { type: 'object', description: 'x'.repeat(padding) }, how);
    expect(await settled(api, ack)).toMatchObject({ status: 'completed', output: {} });
  });

  it('L17: a property may have the name of the reference that a schema must not have', async () => {
    const named = { type: 'object', properties: { $ref: { type: 'string' } }, required: ['$ref'] };
    const output = { $ref: 'main' };
    expect((await ended(script({ say: JSON.stringify(output) }), named)).turn).toMatchObject({
      status: 'completed',
      output,
    });
    expect((await ended(script({ say: '{}' }), named)).turn).toMatchObject({ status: 'failed' });
  });

  it('T1: it stands at top level of a turn start in both forms, and the list and stream show the output', async () => {
    const { ack } = await ended(script({ say: JSON.stringify(cityOutput) }));
    const again = await api.post<TurnAck>(
      `/v1/sessions/${ack.session_id}/turns`,
      { input: { content: [{ type: 'text', text: script(submit(cityOutput)) }] }, output: { schema: citySchema } },
      202,
    );
    await settled(api, again);
    const flat = await api.post<TurnAck>(
      `/v1/sessions/${ack.session_id}/turns`,
      { role: 'user', content: [{ type: 'text', text: script({ say: '{}' }) }], output: { schema: citySchema } },
      202,
    );
    await settled(api, flat);
    const turns = (await api.get<{ items: WithOutput[] }>(`/v1/sessions/${ack.session_id}/turns`)).items;
    expect(turns.map(({ status, output_source: source, output }) => [status, source, output])).toEqual([
      ['completed', 'text', cityOutput],
      ['completed', 'tool', cityOutput],
      ['failed', undefined, undefined],
    ]);
    expect(await rowsWithContext(api, ack.session_id)).toHaveLength(2 + 3 + 2);
  });

  it('T17: a page of turns with large outputs ends at 8 MiB, at either end of the list', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new', compaction_policy: { strategy: 'disabled' } });
    const large = script({ say: '{"text":"' }, { repeat_say: { text: 'x'.repeat(1000), times: 3_000 } }, { say: '"}' });
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      const body = { input: { content: [text(large)] }, output: { schema: { type: 'object' } } };
      const ack = await api.post<TurnAck>(`/v1/sessions/${id}/turns`, body, 202);
      expect((await settled(api, ack)).status).toBe('completed');
      ids.push(ack.turn_id);
    }
    for (const order of ['asc', 'desc']) {
      const path = `/v1/sessions/${id}/turns`;
      const first = await api.get<Page<Turn>>(path, { limit: 100, order });
      const rest = await api.get<Page<Turn>>(path, { limit: 100, order, cursor: first.next_cursor ?? '' });
      expect([first.items.length, first.has_more, rest.items.length, rest.has_more]).toEqual([2, true, 2, false]);
      const pages = order === 'asc' ? [first, rest] : [rest, first];
      expect(pages.flatMap(({ items }) => items.map((turn) => turn.id))).toEqual(ids);
    }
  });
});
