import { ActionServer, Client, createAgent, eventually, invoke, script, settled, unique } from '../harness/index.js';
import { anotherOwner } from '../harness/organizations.js';

/** More than the turns that one process works on at once. */
const hangingCount = 80;

let slow: Client;
const api = Client.owner();
let server: ActionServer;
let open: () => void = () => undefined;
const gate = new Promise<void>((resolve) => {
  open = resolve;
});

beforeAll(async () => {
  slow = anotherOwner(unique('slow'));
  server = await ActionServer.start();
});
afterAll(async () => {
  open();
  await server.close();
});

async function action(by: Client, path: string, hangs: boolean): Promise<string> {
  const name = unique('act');
  await by.post(
    '/v1/actions',
    { name, endpoint_url: server.at(path, () => ({ ...(hangs ? { after: gate } : {}), body: { done: true } })) },
    201,
  );
  return name;
}

it('invariant 28: endpoints of one organization that hang hold up neither turns nor invocations of another', async () => {
  const hanging = await action(slow, '/hangs', true);
  const theirs = await createAgent(slow, { action_selectors: [{ selector_type: 'exact', selector: hanging }] });
  const turns = await Promise.all(
    Array.from({ length: hangingCount }, () =>
      invoke(slow, theirs.id, script({ call: { name: hanging, input: {} } }, { say: 'done' })),
    ),
  );
  await eventually('every call to be under way', () => Promise.resolve(server.on('/hangs').length === hangingCount));
  const direct = await Promise.all(
    Array.from({ length: 120 }, () =>
      slow.send('POST', `/v1/actions/${hanging}/invoke`, { body: { timeout_seconds: 1 } }),
    ),
  );
  expect(direct.every(({ status }) => status === 202 || status === 429)).toBe(true);

  const quick = await action(api, '/quick', false);
  const ours = await createAgent(api, { action_selectors: [{ selector_type: 'exact', selector: quick }] });
  expect(
    await settled(api, await invoke(api, ours.id, script({ call: { name: quick, input: {} } }, { say: 'done' }))),
  ).toMatchObject({ status: 'completed' });
  expect(await api.post(`/v1/actions/${quick}/invoke`, {}, 200)).toMatchObject({
    status: 'completed',
    output: { done: true },
  });
  expect(server.on('/hangs').length).toBeGreaterThanOrEqual(hangingCount);

  open();
  for (const turn of turns) expect(await settled(slow, turn)).toMatchObject({ status: 'completed' });
  await eventually('their invocations to be over', async () => {
    const { status } = await slow.send('POST', `/v1/actions/${hanging}/invoke`, { body: {} });
    return status === 200;
  });
});

it('invariant 62: what another organization invokes is not there', async () => {
  const name = await action(slow, '/theirs', false);
  const key = unique('key');
  const theirs = (
    await slow.call<{ job_id: string }>('POST', `/v1/actions/${name}/invoke`, {
      body: {},
      headers: { 'idempotency-key': key },
    })
  ).body;
  const mine = await action(api, '/mine', false);
  await api.refused('not_found', 'POST', `/v1/actions/${name}/invoke`, { body: {} });
  await api.refused('not_found', 'POST', `/v1/actions/${name}/invoke`, {
    body: {},
    headers: { 'idempotency-key': key },
  });
  expect(
    (
      await api.call<{ job_id: string }>('POST', `/v1/actions/${mine}/invoke`, {
        body: {},
        headers: { 'idempotency-key': key },
      })
    ).body.job_id,
  ).not.toBe(theirs.job_id);
  const list = (by: Client, query: Record<string, string>) =>
    by.get<{ items: unknown[] }>('/v1/action-invocations', query);
  expect((await list(slow, { job_id: theirs.job_id })).items).toHaveLength(1);
  const queries: Record<string, string>[] = [
    { job_id: theirs.job_id },
    { action_name: name },
    { delivery_id: theirs.job_id.replace('job_', 'dlv_') },
  ];
  for (const query of queries) expect(await list(api, query)).toEqual({ items: [], has_more: false });
  const page = await slow.get<{ next_cursor?: string }>('/v1/action-invocations', { limit: 1 });
  await api.refused('invalid_cursor', 'GET', '/v1/action-invocations', {
    query: { limit: 1, cursor: String(page.next_cursor) },
  });
});
