import {
  Client,
  callerWith,
  createAgent,
  createSession,
  eventually,
  invoke,
  issueKey,
  person,
  settled,
  startTurn,
} from '../harness/index.js';

interface UsageRow {
  id: string;
  counter: string;
  raw_quantity: number;
  source_id: string;
  agent_turn_id: string;
  api_key_id: string;
  recorded_at: string;
  idempotency_key: string;
}
interface UsagePage {
  items: UsageRow[];
  has_more: boolean;
  next_cursor?: string;
  total_raw_quantity: number;
  total_credit_cost: number;
  total_credit_cost_milli: number;
}
interface Turn {
  usage: Record<string, number>;
}

const api = Client.owner();
const path = '/v1/billing/usage-events';
const usage = (query: Record<string, string | number> = {}) => api.get<UsagePage>(path, query);
const sum = (rows: UsageRow[]): number => rows.reduce((all, { raw_quantity: one }) => all + one, 0);

/** A session with this many finished turns, and its rows once they are there. */
async function used(client: Client, turns: number): Promise<{ sessionId: string; turns: Turn[]; rows: UsageRow[] }> {
  const agent = await createAgent(api);
  const { id } = await createSession(client, agent.id, { mode: 'new', visibility: 'organization' });
  const ended: Turn[] = [];
  for (let n = 0; n < turns; n += 1)
    ended.push((await settled(client, await startTurn(client, id, `hello ${n}`))) as unknown as Turn);
  const rows = await eventually('the rows of usage', async () => {
    const { items } = await usage({ source_id: id, limit: 100 });
    return items.length === 2 * turns && items;
  });
  return { sessionId: id, turns: ended, rows };
}

describe('rule TE72: rows of usage', () => {
  it('TE72: one for each call and counter, with the key of the admission, adding up to the usage of the turns', async () => {
    const key = await issueKey(api, 'Owner');
    const { sessionId, turns, rows } = await used(api.as(key.key), 2);
    const month = `${new Date().toISOString().slice(0, 7)}-01T00:00:00.000Z`;
    expect(rows[0]).toMatchObject({
      id: expect.stringMatching(/^usage_[0-9a-z]{20,}$/) as string,
      api_key_id: key.id,
      period_start: month,
      credit_cost: 0,
      credit_cost_milli: 0,
      credit_weight_version: 1,
      zero_credits: true,
      source_type: 'session',
      source_id: sessionId,
      job_id: '',
      model: 'svc-scripted-1',
      model_class: '',
      metadata: { amount: '0' },
    });
    for (const counter of ['input_tokens', 'output_tokens'])
      expect(sum(rows.filter((row) => row.counter === `model.${counter}`))).toBe(
        turns.reduce((all, turn) => all + (turn.usage[counter] ?? 0), 0),
      );
    expect(new Set(rows.map(({ id }) => id)).size).toBe(4);
    expect(rows.map(({ recorded_at: at }) => at)).toEqual(
      rows
        .map(({ recorded_at: at }) => at)
        .sort()
        .reverse(),
    );
    expect(await usage({ source_id: sessionId, limit: 100 })).toEqual({
      items: rows,
      has_more: false,
      total_raw_quantity: sum(rows),
      total_credit_cost: 0,
      total_credit_cost_milli: 0,
    });
    expect((await usage({ api_key_id: key.id, period_start: month })).total_raw_quantity).toBe(sum(rows));
  });

  it('TE72: filters, cursors bound to them, and totals over the whole filter, oldest first with `recorded_after`', async () => {
    const { sessionId, rows } = await used(api, 3);
    const oldestFirst = [...rows].reverse();
    const from = oldestFirst[2]?.recorded_at ?? '';
    const kept = oldestFirst.filter(({ recorded_at: at }) => at >= from);
    const first = await usage({ source_id: sessionId, recorded_after: from, limit: 1 });
    expect(first).toMatchObject({ items: [kept[0]], has_more: true, total_raw_quantity: sum(kept) });
    const walked = [...first.items];
    let cursor = first.next_cursor;
    while (cursor !== undefined) {
      const page = await usage({ source_id: sessionId, recorded_after: from, limit: 1, cursor });
      expect(page.total_raw_quantity).toBe(sum(kept));
      walked.push(...page.items);
      cursor = page.next_cursor;
    }
    expect(walked).toEqual(kept);
    await api.refused('invalid_cursor', 'GET', path, { query: { source_id: sessionId, cursor: first.next_cursor } });
    const counted = await usage({ source_id: sessionId, counter: 'model.input_tokens', source_type: 'session' });
    expect(counted.items).toHaveLength(3);
    expect(counted.total_raw_quantity).toBe(sum(counted.items));
    const today = `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`;
    expect((await usage({ source_id: sessionId, recorded_after: today })).total_raw_quantity).toBe(sum(rows));
    const nothing: Record<string, string>[] = [
      { counter: 'model.none' },
      { source_id: 'ses_none' },
      { source_type: 'replay' },
      { job_id: 'job_none' },
      { api_key_id: 'cred_none' },
      { period_start: '2001-01-01T00:00:00Z' },
      { recorded_after: '2120-01-01T00:00:00Z' },
    ];
    const ofAll = await usage({ source_type: 'session', recorded_after: from, limit: 100 });
    expect(ofAll.total_raw_quantity).toBeGreaterThanOrEqual(sum(kept));
    for (const none of nothing)
      expect(await usage(none)).toMatchObject({ items: [], has_more: false, total_raw_quantity: 0 });
  });

  it("TE72, A30: name no session out of the caller's reach, and count it in the totals all the same", async () => {
    const ann = await person(api);
    const agent = await createAgent(ann.client, { visibility: 'private' });
    const before = (await usage({ limit: 1 })).total_raw_quantity;
    const turn = await invoke(ann.client, agent.id, 'hello');
    await settled(ann.client, turn);
    const hidden = await eventually('the rows of usage', async () => {
      const { items, total_raw_quantity: total } = await usage({ limit: 2 });
      return total > before && items.length === 2 && items;
    });
    expect(hidden.map((row) => [row.source_id, row.agent_turn_id])).toEqual([
      ['', ''],
      ['', ''],
    ]);
    expect(await usage({ source_id: turn.session_id })).toMatchObject({ items: [], total_raw_quantity: 0 });
  });

  it('TE72: are for `billing.view` alone', async () => {
    const agent = await createAgent(api);
    await settled(api, await invoke(api, agent.id, 'hello'));
    await (await callerWith(api, 'User')).refused('permission_denied', 'GET', path);
  });
});
