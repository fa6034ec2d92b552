import { quickest } from '@aos/kernel/testing';
import {
  Client,
  type Page,
  allRows,
  callerWith,
  converse,
  createAgent,
  eventually,
  person,
  unique,
} from '../harness/index.js';

const api = Client.owner();

interface Answered {
  id: string;
  responder_user_id: string;
  answers: { question_id: string; value?: string; values?: string[]; other?: string; text?: string }[];
  value: unknown;
  comment?: string | null;
  attempt?: number | null;
}
interface Interaction {
  id: string;
  status: string;
  kind: string;
  title: string;
  created_by: string;
  spec: { questions: { id: string; mode: string; required: boolean }[]; mode?: string };
  responses: Answered[];
  outcome: { answers: unknown[]; comment?: string; responses: { responder_id: string }[] } | null;
  resolved_by: string | null;
  require_all?: boolean;
  responder?: { user_id: string } | null;
  resolving_response_id?: string | null;
  review_round?: number | null;
  review_feedback?: string | null;
  reviewer?: { user_id: string } | null;
  cancel_reason?: string | null;
  consumer: {
    kind: string;
    http_subscriber?: { callback_url: string; signing_secret?: string; delivery?: unknown } | null;
  };
  expires_at?: string | null;
  lifecycle: { action: string; status: string; round: number | null }[];
  session_id: string | null;
  completed_at?: string | null;
  updated_at: string;
}

let ann: { id: string; client: Client };
let bob: { id: string; client: Client };
let eve: { id: string; client: Client };

beforeAll(async () => {
  [ann, bob, eve] = await Promise.all([person(api), person(api), person(api)]);
});

const asked = (fields: Record<string, unknown> = {}, client = api): Promise<Interaction> =>
  client.post<Interaction>(
    '/v1/interactions',
    { kind: 'request_information', title: unique('question'), target_user_ids: [ann.id, bob.id], ...fields },
    201,
  );
const respond = (id: string, body: unknown, client = ann.client): Promise<Interaction> =>
  client.post<Interaction>(`/v1/interactions/${id}/respond`, body, 200);
const read = (id: string, client = api): Promise<Interaction> => client.get<Interaction>(`/v1/interactions/${id}`);
const refusedCreate = (
  code: string,
  fields: Record<string, unknown>,
  invalid = false,
): Promise<Record<string, unknown>> =>
  api.refused(code, 'POST', '/v1/interactions', {
    body: { kind: 'request_information', title: 't', target_user_ids: [ann.id], ...fields },
    invalid,
  });
const pathsOf = (details: Record<string, unknown>): string[] =>
  (details.issues as { path: string }[]).map(({ path }) => path);
const options = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
];

describe('interactions: create and read', () => {
  it('I1, I6, I10: defaults; the record reads as it was answered', async () => {
    const made = await asked();
    expect(made).toMatchObject({
      status: 'pending',
      consumer: { kind: 'none' },
      resolution_policy: { type: 'any_of' },
      require_all: false,
      outcome: null,
      resolved_by: null,
      responses: [],
      session_id: null,
      spec: { questions: [{ id: 'response', mode: 'input', required: true }], mode: 'input' },
      lifecycle: [{ action: 'created', status: 'pending' }],
    });
    expect(made.id).toMatch(/^iact_[0-9a-z]{20,}$/);
    expect(await read(made.id)).toEqual(made);
  });

  it('I9: the one-question form is taken and echoed', async () => {
    const made = await asked({ spec: { mode: 'select', options, default_value: 'b' } });
    expect(made.spec).toMatchObject({
      mode: 'select',
      options,
      default_value: 'b',
      questions: [{ id: 'response', prompt: made.title, mode: 'select', options }],
    });
    const many = await asked({
      spec: {
        questions: [
          { id: 'a', prompt: 'A?', mode: 'input' },
          { id: 'b', prompt: 'B?', mode: 'input', required: false },
        ],
      },
    });
    expect(many.spec.mode).toBeUndefined();
    expect(many.spec.questions.map(({ required }) => required)).toEqual([true, false]);
  });

  it('I11, I12: forms that do not fit their kind or themselves are refused with the place', async () => {
    const form = (kind: string, questions: unknown[]) =>
      refusedCreate('bad_request', { kind, spec: { questions } }).then(pathsOf);
    expect(await form('request_approval', [{ id: 'q', prompt: '?', mode: 'input' }])).toEqual([
      '/spec/questions/0/mode',
    ]);
    expect(await form('request_information', [{ id: 'q', prompt: '?', mode: 'confirm' }])).toEqual([
      '/spec/questions/0/mode',
    ]);
    expect(await form('request_review', [{ id: 'q', prompt: '?', mode: 'multi_select', options }])).toEqual([
      '/spec/questions/0/mode',
    ]);
    const two = [1, 2].map((index) => ({ id: `q${index}`, prompt: '?', mode: 'confirm' }));
    expect(await form('request_approval', two)).toEqual(['/spec/questions']);
    expect(
      await form('assign_work', [
        { id: 'q', prompt: '?', mode: 'input' },
        { id: 'q', prompt: '?', mode: 'select' },
      ]),
    ).toEqual(['/spec/questions/1/id', '/spec/questions/1/options']);
  });

  it('rule LIM1: 1 to 12 questions', async () => {
    const many = (count: number) => ({
      spec: {
        questions: Array.from({ length: count }, (_, index) => ({ id: `q${index}`, prompt: '?', mode: 'input' })),
      },
    });
    expect((await asked(many(12))).spec.questions).toHaveLength(12);
    await refusedCreate('bad_request', many(13), true);
    await refusedCreate('bad_request', many(0), true);
  });

  it('I5, I6: policies', async () => {
    expect((await asked({ require_all: true })).require_all).toBe(true);
    await refusedCreate('bad_request', { require_all: true, resolution_policy: { type: 'any_of' } });
    await refusedCreate('bad_request', { resolution_policy: { type: 'quorum' } });
    await refusedCreate('bad_request', { resolution_policy: { type: 'quorum', threshold: 2 } });
    await refusedCreate('bad_request', { resolution_policy: { type: 'any_of', threshold: 1 } });
  });

  it('I26, I27: an expiry lies ahead; targets are live people or agents of the organization', async () => {
    expect(await refusedCreate('invalid_argument', { expires_at: '2020-01-01T00:00:00Z' })).toMatchObject({
      argument: 'expires_at',
    });
    await refusedCreate('not_found', { target_user_ids: ['user_00000000000000000000000000'] });
    const agent = await createAgent(api);
    expect((await asked({ target_user_ids: [agent.id] })).status).toBe('pending');
    const service = await api.post<{ id: string }>('/v1/principals', { name: unique('svc') }, 201);
    expect(await refusedCreate('invalid_argument', { target_user_ids: [service.id] })).toMatchObject({
      argument: 'target_user_ids',
    });
  });

  it('I31, I32: subject, references, context, tags and properties are kept', async () => {
    const kept = {
      description: 'd',
      subject: { kind: 'svc_entity', entity_type: 'table', entity_id: 'tbl_1' },
      references: [{ kind: 'external_url', url: 'https://example.com/', label: 'l' }],
      context: { a: { b: 1 } },
      tags: { team: 'x' },
      properties: { p: true },
      delivery: { channels: [{ kind: 'inbox_only' }] },
    };
    expect(await asked(kept)).toMatchObject(kept);
    expect(await refusedCreate('invalid_argument', { tags: { 'svc:x': 'y' } })).toMatchObject({
      argument: expect.stringContaining('tags') as string,
    });
  });

  it('G8: closed inner objects refuse unknown members, the outer body ignores them', async () => {
    await refusedCreate('bad_request', { consumer: { kind: 'none', extra: 1 } }, true);
    await refusedCreate(
      'bad_request',
      { spec: { questions: [{ id: 'q', prompt: '?', mode: 'input', extra: 1 }] } },
      true,
    );
    expect((await asked({ extra: 1 })).status).toBe('pending');
  });
});

describe('interactions: answering', () => {
  it('I17, I20, I21: the first eligible response resolves any_of, and its answers are frozen', async () => {
    const { id } = await asked({ kind: 'request_approval' });
    await api.refused('not_interaction_target', 'POST', `/v1/interactions/${id}/respond`, { body: { value: true } });
    const done = await respond(id, {
      action: 'submit',
      answers: [{ question_id: 'response', value: 'approved' }],
      comment: 'fine',
    });
    expect(done).toMatchObject({
      status: 'completed',
      resolved_by: 'any_of',
      responder: { user_id: ann.id },
      resolving_response_id: done.responses[0]?.id,
      outcome: {
        answers: [{ question_id: 'response', value: 'approved' }],
        comment: 'fine',
        responses: [{ responder_id: ann.id }],
      },
    });
    expect(done.responses).toMatchObject([
      { responder_user_id: ann.id, value: 'approved', comment: 'fine', attempt: null },
    ]);
    expect(
      await bob.client.refused('interaction_not_open', 'POST', `/v1/interactions/${id}/respond`, {
        body: { value: true },
      }),
    ).toEqual({ status: 'completed' });
    expect(await read(id)).toEqual(done);
  });

  it('I18, I20: all_of and quorum count distinct targets', async () => {
    const all = await asked({ require_all: true });
    expect((await respond(all.id, { value: 'mine' })).status).toBe('pending');
    await ann.client.refused('already_responded', 'POST', `/v1/interactions/${all.id}/respond`, {
      body: { value: 'again' },
    });
    expect(await respond(all.id, { value: 'too' }, bob.client)).toMatchObject({
      status: 'completed',
      resolved_by: 'all_of',
      responder: { user_id: bob.id },
    });
    const quorum = await asked({
      target_user_ids: [ann.id, bob.id, eve.id],
      resolution_policy: { type: 'quorum', threshold: 2 },
    });
    expect((await respond(quorum.id, { value: '1' })).status).toBe('pending');
    expect(await respond(quorum.id, { value: '2' }, eve.client)).toMatchObject({
      status: 'completed',
      resolved_by: 'quorum',
    });
  });

  it('invariant 47: racing answers, cancels and an expiry end it once', async () => {
    const { id } = await asked({
      target_user_ids: [ann.id, bob.id, eve.id],
      resolution_policy: { type: 'quorum', threshold: 2 },
    });
    const racers = [ann, bob, eve, ann, bob, eve].flatMap(({ client }, index) => [
      client.send('POST', `/v1/interactions/${id}/respond`, { body: { value: `v${index}` } }),
      ...(index % 3 === 0 ? [client.send('POST', `/v1/interactions/${id}/cancel`, { body: {} })] : []),
    ]);
    const statuses = (await Promise.all(racers)).map(({ status }) => status);
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
    const end = await read(id);
    expect(['completed', 'cancelled']).toContain(end.status);
    expect(end.lifecycle.filter(({ action }) => action === 'resolved' || action === 'cancelled')).toHaveLength(1);
    expect(new Set(end.responses.map(({ responder_user_id: by }) => by)).size).toBe(end.responses.length);
  });

  it('I15, I16: a bad answer set names every question and changes nothing', async () => {
    const questions = [
      { id: 'c', prompt: '?', mode: 'select', options },
      { id: 'm', prompt: '?', mode: 'multi_select', options, max_selections: 1 },
      { id: 'i', prompt: '?', mode: 'input', required: false },
    ];
    const { id } = await asked({ spec: { questions } });
    const details = await ann.client.refused('invalid_answer', 'POST', `/v1/interactions/${id}/respond`, {
      body: {
        answers: [
          { question_id: 'c', other: 'x' },
          { question_id: 'm', values: ['a', 'b'] },
          { question_id: 'z', text: '' },
        ],
      },
    });
    expect(
      (details.issues as { question_id: string; message: string }[]).map(({ question_id }) => question_id).sort(),
    ).toEqual(['c', 'm', 'z']);
    expect((await read(id)).responses).toEqual([]);
    expect(
      (
        await respond(id, {
          answers: [
            { question_id: 'm', values: ['b'] },
            { question_id: 'c', value: 'a' },
          ],
        })
      ).status,
    ).toBe('completed');
  });

  it('I14: value stands for the answer to the only question', async () => {
    const cases: [Record<string, unknown>, unknown, unknown][] = [
      [{ kind: 'request_approval' }, false, { value: 'rejected' }],
      [{ kind: 'request_approval' }, 'approved', { value: 'approved' }],
      [{ spec: { mode: 'select', options } }, 'a', { value: 'a' }],
      [{ kind: 'assign_work', spec: { mode: 'multi_select', options } }, ['b'], { values: ['b'] }],
      [{}, 'text', { text: 'text' }],
    ];
    for (const [fields, value, content] of cases) {
      const { id } = await asked(fields);
      expect((await respond(id, { value })).responses[0]?.answers).toEqual([
        { question_id: 'response', ...(content as object) },
      ]);
    }
    const { id } = await asked();
    await ann.client.refused('bad_request', 'POST', `/v1/interactions/${id}/respond`, {
      body: { value: 'x', answers: [{ question_id: 'response', text: 'x' }] },
    });
    await ann.client.refused('bad_request', 'POST', `/v1/interactions/${id}/respond`, {
      body: { action: 'save', value: 'x' },
      invalid: true,
    });
  });

  it('L18: large answers come back whole; over 256 KiB they are refused', async () => {
    const questions = Array.from({ length: 5 }, (_, index) => ({
      id: `q${index}`,
      prompt: '?',
      mode: 'input',
      required: false,
    }));
    const { id } = await asked({ spec: { questions } });
    const long = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ question_id: `q${index}`, text: `${index}`.repeat(60_000) }));
    const details = await ann.client.refused('payload_too_large', 'POST', `/v1/interactions/${id}/respond`, {
      body: { answers: long(5) },
    });
    expect(details).toEqual({ limit_bytes: 262_144 });
    const done = await respond(id, { answers: long(4) });
    expect(done.outcome?.answers).toEqual(long(4));
    expect((await read(id)).outcome?.answers).toEqual(long(4));
  });
});

describe('interactions: many short values', () => {
  it('L18, S31: a large form and its large answer stay whole, also in the session that asked', async () => {
    const agent = await createAgent(api);
    const { ack } = await converse(api, agent.id, 'hello');
    const values = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(205, 'v'));
    const questions = Array.from({ length: 10 }, (_, index) => ({
      id: `q${index}`,
      prompt: '?',
      mode: 'multi_select',
      options: values.map((value) => ({ value, label: 'l' })),
    }));
    const { id, spec } = await asked({
      spec: { questions },
      consumer: { kind: 'agent_tool', agent_tool: { invocation_id: ack.turn.id, tool_call_id: 'c' } },
    });
    expect(spec.questions).toMatchObject(questions);
    const answers = questions.map(({ id: question_id }) => ({ question_id, values }));
    expect((await respond(id, { answers })).outcome?.answers).toEqual(answers);
    expect(await read(id)).toMatchObject({
      status: 'completed',
      target_user_ids: [ann.id, bob.id],
      responses: [{ responder_user_id: ann.id, answers }],
    });
    const rows = await eventually('the outcome', async () => {
      const found = (await allRows(api, ack.session.id)).filter(
        ({ metadata }) => metadata?.event_type === 'interaction.resolved',
      );
      return found.length > 0 ? found : null;
    });
    expect(rows).toHaveLength(1);
    await api.refused('payload_too_large', 'POST', '/v1/interactions', {
      body: {
        kind: 'assign_work',
        title: 't',
        target_user_ids: [ann.id],
        spec: {
          questions: questions.concat(
            { ...(questions[0] as (typeof questions)[0]), id: 'q10' },
            { ...(questions[0] as (typeof questions)[0]), id: 'q11' },
          ),
        },
      },
    });
  });
});

describe('interactions: review', () => {
  it('I7, I8: accepted work completes, else the next round begins with earlier answers kept', async () => {
    const { id } = await asked({
      kind: 'assign_work',
      resolution_policy: { type: 'any_of', review: { reviewer_user_ids: [eve.id] } },
    });
    expect(await respond(id, { value: 'first' })).toMatchObject({
      status: 'in_review',
      review_round: 1,
      outcome: null,
    });
    await bob.client.refused('interaction_not_open', 'POST', `/v1/interactions/${id}/respond`, {
      body: { value: 'x' },
    });
    await api.refused('not_interaction_reviewer', 'POST', `/v1/interactions/${id}/review`, {
      body: { action: 'accept' },
    });
    await eve.client.refused('bad_request', 'POST', `/v1/interactions/${id}/review`, {
      body: { action: 'request_changes' },
    });
    const back = await eve.client.post<Interaction>(
      `/v1/interactions/${id}/review`,
      { action: 'request_changes', comment: 'more' },
      200,
    );
    expect(back).toMatchObject({
      status: 'pending',
      review_round: 2,
      review_feedback: 'more',
      reviewer: { user_id: eve.id },
    });
    await eve.client.refused('interaction_not_in_review', 'POST', `/v1/interactions/${id}/review`, {
      body: { action: 'accept' },
    });
    await respond(id, { value: 'second' });
    const done = await eve.client.post<Interaction>(`/v1/interactions/${id}/review`, { action: 'accept' }, 200);
    expect(done).toMatchObject({
      status: 'completed',
      resolved_by: 'review',
      outcome: { answers: [{ text: 'second' }], responses: [{ responder_id: ann.id }] },
    });
    expect(done.responses.map(({ attempt, value }) => [attempt, value])).toEqual([
      [null, 'first'],
      [2, 'second'],
    ]);
    expect(done.lifecycle.map(({ action }) => action)).toEqual([
      'created',
      'submitted_for_review',
      'changes_requested',
      'submitted_for_review',
      'accepted',
      'resolved',
    ]);
  });

  it('I8: without named reviewers the creator reviews', async () => {
    const { id } = await asked({ kind: 'assign_work', resolution_policy: { type: 'any_of', review: {} } });
    await respond(id, { value: 'x' });
    await ann.client.refused('not_interaction_reviewer', 'POST', `/v1/interactions/${id}/review`, {
      body: { action: 'accept' },
    });
    expect((await api.post<Interaction>(`/v1/interactions/${id}/review`, { action: 'accept' }, 200)).status).toBe(
      'completed',
    );
  });
});

describe('interactions: cancel, expiry, delete', () => {
  it('I24, I25: those it concerns cancel; a repeat gives the record; what ended otherwise stays', async () => {
    const { id } = await asked();
    const gone = await ann.client.post<Interaction>(`/v1/interactions/${id}/cancel`, { reason: 'not me' }, 200);
    expect(gone).toMatchObject({ status: 'cancelled', resolved_by: 'cancel', cancel_reason: 'not me', outcome: null });
    expect(await bob.client.post<Interaction>(`/v1/interactions/${id}/cancel`, undefined, 200)).toEqual(gone);
    const other = await asked();
    await respond(other.id, { value: 'x' });
    expect(await api.refused('interaction_not_open', 'POST', `/v1/interactions/${other.id}/cancel`)).toEqual({
      status: 'completed',
    });
  });

  it('I19, I26: it expires within a second of its time, and nobody answers late', async () => {
    const late = await quickest(1_000, async () => {
      const at = Date.now() + 3_000;
      const { id, expires_at: expiresAt } = await asked({ expires_at: new Date(at).toISOString() });
      expect(expiresAt).toBe(new Date(at).toISOString());
      const ended = await eventually('the expiry', async () => {
        const now = await read(id);
        return now.status === 'expired' ? now : null;
      });
      expect(ended).toMatchObject({ resolved_by: 'expiry', outcome: null, responder: null });
      expect(Date.parse(ended.updated_at)).toBeGreaterThanOrEqual(at);
      expect(
        await ann.client.refused('interaction_not_open', 'POST', `/v1/interactions/${id}/respond`, {
          body: { value: 'x' },
        }),
      ).toEqual({ status: 'expired' });
      return Date.parse(ended.updated_at) - at;
    });
    expect(late).toBeLessThan(1_000);
  });

  it('I30: only a closed one can be hidden, and then it is gone', async () => {
    const { id } = await asked();
    await api.refused('interaction_open', 'DELETE', `/v1/interactions/${id}`);
    await api.post(`/v1/interactions/${id}/cancel`, {}, 200);
    await api.delete(`/v1/interactions/${id}`);
    await api.refused('not_found', 'GET', `/v1/interactions/${id}`);
    await api.refused('not_found', 'DELETE', `/v1/interactions/${id}`);
    expect(
      (
        await api.get<Page<Interaction>>('/v1/interactions', {
          target_user_id: ann.id,
          status: 'cancelled',
          limit: 100,
        })
      ).items.some((one) => one.id === id),
    ).toBe(false);
  });
});

describe('interactions: who sees them', () => {
  it('I29: creator, targets, reviewers and administrators; nobody else, exactly as if it were not there', async () => {
    const maker = await person(api);
    const { id } = await asked(
      { target_user_ids: [ann.id], resolution_policy: { type: 'any_of', review: { reviewer_user_ids: [bob.id] } } },
      maker.client,
    );
    for (const client of [maker.client, ann.client, bob.client, api, await callerWith(api, 'Admin')])
      expect((await read(id, client)).id).toBe(id);
    const viewer = await callerWith(api, 'Viewer');
    for (const client of [eve.client, viewer]) {
      await client.refused('not_found', 'GET', `/v1/interactions/${id}`);
      await client.refused('not_found', 'POST', `/v1/interactions/${id}/respond`, { body: { value: 'x' } });
      await client.refused('not_found', 'POST', `/v1/interactions/${id}/cancel`);
      expect(
        (await client.get<Page<Interaction>>('/v1/interactions', { target_user_id: ann.id, limit: 100 })).items.some(
          (one) => one.id === id,
        ),
      ).toBe(false);
    }
    await viewer.refused('permission_denied', 'POST', '/v1/interactions', {
      body: { kind: 'request_information', title: 't', target_user_ids: [ann.id] },
    });
  });

  it('I28, G5: lists filter and page, newest first', async () => {
    const target = await person(api);
    const made: Interaction[] = [];
    for (let count = 0; count < 5; count += 1)
      made.unshift(
        await asked({ target_user_ids: [target.id], kind: count === 0 ? 'assign_work' : 'request_information' }),
      );
    await target.client.post(`/v1/interactions/${made[1]?.id}/respond`, { value: 'x' }, 200);
    const ids = async (query: Record<string, string | number | boolean>, client = target.client) =>
      (await client.get<Page<Interaction>>('/v1/interactions', query)).items.map(({ id }) => id);
    expect(await ids({ inbox: true })).toEqual(made.map(({ id }) => id));
    expect(await ids({ inbox: true, status: 'pending' })).toEqual(
      made.filter((_one, index) => index !== 1).map(({ id }) => id),
    );
    expect(await ids({ target_user_id: target.id, kind: 'assign_work' }, api)).toEqual([made[4]?.id]);
    const first = await target.client.get<Page<Interaction> & { next_cursor?: string }>('/v1/interactions', {
      inbox: true,
      limit: 3,
    });
    expect(first).toMatchObject({ has_more: true });
    const second = await target.client.get<Page<Interaction>>('/v1/interactions', {
      inbox: true,
      limit: 3,
      cursor: first.next_cursor,
    });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made.map(({ id }) => id));
    expect(second.has_more).toBe(false);
    await target.client.refused('invalid_cursor', 'GET', '/v1/interactions', {
      query: { inbox: true, limit: 3, status: 'pending', cursor: first.next_cursor },
    });
  });
});

describe('interactions: consumers', () => {
  it("I1, I2, I3: a subscriber's secret is shown once, and only when it was made here", async () => {
    const consumer = (extra = {}) => ({
      consumer: { kind: 'http_subscriber', http_subscriber: { callback_url: 'https://example.com/hook', ...extra } },
    });
    const made = await asked(consumer());
    expect(made.consumer.http_subscriber?.signing_secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    expect(made.consumer.http_subscriber?.delivery).toBeNull();
    expect((await read(made.id)).consumer.http_subscriber).toEqual({
      callback_url: 'https://example.com/hook',
      delivery: null,
    });
    expect((await asked(consumer({ signing_secret: 'sixteen characters' }))).consumer.http_subscriber).toEqual({
      callback_url: 'https://example.com/hook',
      delivery: null,
    });
    await refusedCreate('bad_request', consumer({ signing_secret: 'short' }), true);
    await refusedCreate('bad_request', { consumer: { kind: 'http_subscriber' } });
    for (const url of ['http://127.0.0.1/x', 'http://192.168.0.1/x', 'http://[::1]/x', 'http://0x7f.1/x']) {
      const details = await refusedCreate('invalid_argument', {
        consumer: { kind: 'http_subscriber', http_subscriber: { callback_url: url } },
      });
      expect(details).toMatchObject({ argument: 'consumer.http_subscriber.callback_url' });
    }
  });

  it('I4, S31, S32: the outcome returns to the conversation that asked, and readers of the session see it', async () => {
    const agent = await createAgent(api);
    const { ack } = await converse(api, agent.id, 'hello');
    const consumer = {
      consumer: {
        kind: 'agent_tool',
        agent_tool: { invocation_id: ack.turn.id, tool_call_id: 'call_1', session_id: ack.session.id },
      },
    };
    const made = await asked({ ...consumer, kind: 'request_review' });
    expect(made.session_id).toBe(ack.session.id);
    expect((await read(made.id, eve.client)).id).toBe(made.id);
    await eve.client.refused('not_interaction_target', 'POST', `/v1/interactions/${made.id}/respond`, {
      body: { value: 'x' },
    });
    await eve.client.refused('forbidden', 'POST', `/v1/interactions/${made.id}/cancel`);
    const inSession = await api.get<Page<Interaction>>('/v1/interactions', { session_id: ack.session.id });
    expect(inSession.items.map(({ id }) => id)).toEqual([made.id]);
    await eventually('the open question', async () =>
      (await api.get<{ interactions: Interaction[] }>(`/v1/sessions/${ack.session.id}/transcript`)).interactions.some(
        ({ id }) => id === made.id,
      ),
    );
    await respond(made.id, { value: 'well done' });
    const rows = await eventually('the outcome', async () => {
      const found = (await allRows(api, ack.session.id)).filter(
        ({ metadata }) => metadata?.event_type === 'interaction.resolved',
      );
      return found.length > 0 ? found : null;
    });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      role: 'user',
      metadata: { interaction_id: made.id, event_projection: { title: 'Request answered' } },
    });
    expect(
      (await api.get<{ interactions: Interaction[] }>(`/v1/sessions/${ack.session.id}/transcript`)).interactions,
    ).toEqual([]);
  });

  it('I4: the turn must be one of a session within reach', async () => {
    const agent = await createAgent(api);
    const { ack } = await converse(api, agent.id, 'hello');
    const tool = (invocation: string, session?: string) => ({
      consumer: {
        kind: 'agent_tool',
        agent_tool: {
          invocation_id: invocation,
          tool_call_id: 'c',
          ...(session === undefined ? {} : { session_id: session }),
        },
      },
    });
    await refusedCreate('not_found', tool(`${ack.turn.id.slice(0, -1)}9`));
    await refusedCreate('not_found', tool(ack.turn.id, 'ses_00000000000000000000000000'));
    await refusedCreate('not_found', tool('turn_nonsense'));
    await refusedCreate('bad_request', { consumer: { kind: 'agent_tool' } });
  });

  it('L24: a session has at most 100 open questions; one that ends makes room', async () => {
    const agent = await createAgent(api);
    const { ack } = await converse(api, agent.id, 'hello');
    const asking = { consumer: { kind: 'agent_tool', agent_tool: { invocation_id: ack.turn.id, tool_call_id: 'c' } } };
    const shown = async () =>
      (await api.get<{ interactions: Interaction[] }>(`/v1/sessions/${ack.session.id}/transcript`)).interactions;
    for (let tens = 0; tens < 10; tens += 1) await Promise.all(Array.from({ length: 10 }, () => asked(asking)));
    const [first] = await eventually('all of them in the session', async () => {
      const open = await shown();
      return open.length === 100 && open;
    });
    expect(await refusedCreate('conflict', asking)).toEqual({ limit: 100 });
    await asked(); // asked by no session
    await api.post(`/v1/interactions/${first?.id}/cancel`);
    await eventually('one less', async () => (await shown()).length === 99);
    await asked(asking);
  });
});

describe('interactions: pages', () => {
  it('are the same for every id, without data, under a strict policy', async () => {
    const { id } = await asked();
    const pages = await Promise.all(
      ['/interactions/x', `/interactions/${id}`, '/interactions'].map((path) => fetch(api.url(path))),
    );
    const [unknown, known, inbox] = await Promise.all(pages.map((page) => page.text()));
    expect(unknown).toBe(known);
    expect(inbox).not.toBe(known);
    for (const page of pages) {
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(page.headers.get('set-cookie')).toBeNull();
    }
  });
});
