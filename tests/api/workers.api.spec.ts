import {
  Client,
  type IssuedKey,
  allRows,
  anotherOwner,
  callerWith,
  cancelTurn,
  createAgent,
  eventually,
  foldTranscript,
  invoke,
  reaches,
  said,
  script,
  settled,
  unique,
  v2,
} from '../harness/index.js';
import {
  calling,
  delta,
  forAction,
  results,
  routed,
  workerAction,
  type WorkerAction,
} from '../harness/worker-actions.js';
import { TestWorker, endWorkers } from '../harness/worker.js';

const api = Client.owner();
afterEach(endWorkers);

describe('opening', () => {
  it('section 14: the key comes by header or as a subprotocol; another subprotocol is not needed', async () => {
    for (const how of [
      {},
      { protocols: ['svc.worker.v1', `bearer.${api.key ?? ''}`] },
      { protocols: [`bearer.${api.key ?? ''}`, 'svc.worker.v1'] },
    ]) {
      const worker = (await TestWorker.connect(api, how)) as TestWorker;
      expect(worker.socket.protocol).toBe('protocols' in how ? 'svc.worker.v1' : '');
      expect(await worker.ask({ type: 'worker.register', worker_instance_id: unique('i') })).toMatchObject({
        type: 'worker.registered',
        worker_session_token: expect.any(String) as string,
      });
      worker.kill();
    }
  });

  it('needs a credential, and the permission to carry out jobs', async () => {
    expect(await TestWorker.connect(api.as(null), { headers: {} })).toBe(401);
    expect(await TestWorker.connect(api, { protocols: ['svc.worker.v1', `bearer.svck_${'x'.repeat(40)}`] })).toBe(401);
    expect(await TestWorker.connect(await callerWith(api, 'User'))).toBe(403);
    await api.refused('not_found', 'GET', '/v1/workers/socket');
    expect(await TestWorker.connect(await workerClient())).toBeInstanceOf(TestWorker);
  });

  it('registers first; one instance has one connection unless it brings its token', async () => {
    const worker = (await TestWorker.connect(api)) as TestWorker;
    expect(await worker.ask({ type: 'jobs.claim' })).toMatchObject({
      type: 'error',
      error: { code: 'not_registered' },
    });
    worker.sendAnyhow('nonsense');
    expect(await worker.nextOf('error')).toMatchObject({ error: { code: 'bad_request' } });
    const instance = unique('i');
    const { worker_session_token: token, lease } = await worker.ask(
      { type: 'worker.register', worker_instance_id: instance },
      'worker.registered',
    );
    expect(lease).toMatchObject({
      lease_duration_seconds: expect.any(Number) as number,
      heartbeat_cadence_seconds: expect.any(Number) as number,
    });
    const other = (await TestWorker.connect(api)) as TestWorker;
    expect(await other.ask({ type: 'worker.register', worker_instance_id: instance })).toMatchObject({
      type: 'error',
      error: { code: 'worker_instance_conflict' },
    });
    expect(await other.closed()).toBe(1008);
    const again = (await TestWorker.connect(api)) as TestWorker;
    expect(
      await again.ask(
        { type: 'worker.register', worker_instance_id: instance, worker_session_token: token as string },
        'worker.registered',
      ),
    ).toMatchObject({ worker_session_token: token });
    again.kill();
    worker.kill();
    await eventually('the name to be free', async () => {
      const next = (await TestWorker.connect(api)) as TestWorker;
      return (await next.ask({ type: 'worker.register', worker_instance_id: instance })).type === 'worker.registered';
    });
  });

  it('ends when the key is revoked', async () => {
    const issued = await api.post<IssuedKey & { id: string }>(
      '/v1/api-keys',
      { name: unique('worker'), role: 'Owner' },
      201,
    );
    const worker = await TestWorker.register(api.as(issued.key));
    const claim = worker.ask({ type: 'jobs.claim' }).catch(() => null);
    await api.delete(`/v1/api-keys/${issued.id}`);
    expect(await worker.nextOf('error', 12_000)).toMatchObject({ error: { code: 'invalid_actor' } });
    await worker.closed(12_000);
    await claim;
    expect(await TestWorker.connect(api.as(issued.key))).toBe(401);
  });
});

interface WorkerItem {
  worker_instance_id: string;
  principal_id: string;
  jobs: number;
  draining: boolean;
}

describe('CO1: the list of workers', () => {
  const listed = async (client: Client, instance: string) =>
    (await client.get<{ items: WorkerItem[] }>('/v1/workers')).items.find(
      ({ worker_instance_id: id }) => id === instance,
    );

  it('shows what each registered, its jobs, and whether it drains, until it leaves', async () => {
    const made = await workerAction();
    const [instance, client] = [unique('i'), await workerClient()];
    const worker = (await TestWorker.connect(client)) as TestWorker;
    await worker.ask(
      {
        type: 'worker.register',
        worker_instance_id: instance,
        name: 'payer',
        version: '1.2.0',
        concurrency_limit: 3,
        models: [{ provider: 'own', model: 'm-1' }],
        ...forAction(made),
      },
      'worker.registered',
    );
    const me = await client.get<{ principal: { id: string } }>('/v1/me');
    const shown = await eventually('the worker in the list', () => listed(api, instance));
    expect(shown).toEqual({
      worker_instance_id: instance,
      name: 'payer',
      version: '1.2.0',
      principal_id: me.principal.id,
      action_names: [made.name],
      models: [{ provider: 'own', model: 'm-1' }],
      concurrency_limit: 3,
      jobs: 0,
      draining: false,
      connected_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    await calling(made);
    const job = await worker.claim();
    await eventually('its job in the list', async () => (await listed(api, instance))?.jobs === 1);
    await worker.ask({ type: 'worker.draining' }, 'worker.draining.ack');
    await eventually('that it drains', async () => (await listed(api, instance))?.draining === true);
    await worker.report(job, { result: {} });
    await eventually('no job in the list', async () => (await listed(api, instance))?.jobs === 0);
    worker.kill();
    await eventually('the worker to be gone', async () => (await listed(api, instance)) === undefined);
  });

  it('the job of a worker that reconnects counts again with its heartbeat, and the worker is sent its cancel', async () => {
    const made = await workerAction();
    const instance = unique('i');
    const can = { worker_instance_id: instance, concurrency_limit: 1, ...forAction(made) };
    const worker = (await TestWorker.connect(api)) as TestWorker;
    const { worker_session_token } = await worker.ask({ type: 'worker.register', ...can }, 'worker.registered');
    const ack = await calling(made);
    const job = await worker.claim();
    worker.kill();
    const back = await TestWorker.register(api, { ...can, worker_session_token });
    const beat = { type: 'job.heartbeat', job_id: job.id, lease_token: job.lease_token };
    await back.ask(beat, 'job.heartbeat.ack');
    const next = back.claim();
    await eventually('its job in the list', async () => (await listed(api, instance))?.jobs === 1);
    await calling(made);
    const other = await TestWorker.register(api, forAction(made));
    const second = await other.claim();
    expect(second).toMatchObject({ claim_attempt: 1 });
    await back.ask(beat, 'job.heartbeat.ack');
    await cancelTurn(api, ack);
    expect(await back.nextOf('job.cancel')).toMatchObject({ job_id: job.id, reason: 'turn_over' });
    await back.report(job, { status: 'cancelled' });
    await other.report(second, { result: {} });
    const third = await calling(made);
    expect(await next).toMatchObject({ agent_turn_id: third.turn_id });
  });

  it('takes all actions where none is named, and is of one organization', async () => {
    const instance = unique('i');
    await TestWorker.register(api, { worker_instance_id: instance });
    const viewer = await callerWith(api, 'Viewer');
    const shown = await eventually('the worker in the list', () => listed(viewer, instance));
    expect(shown).toMatchObject({ name: null, version: null, action_names: null, models: [], concurrency_limit: null });
    expect(await listed(anotherOwner(unique('strangers')), instance)).toBeUndefined();
  });
});

/** A worker principal with the system role for it. */
async function workerClient(): Promise<Client> {
  const roles = await api.get<{ items: { id: string; name: string }[] }>('/v1/roles', { limit: 100 });
  const roleId = roles.items.find(({ name }) => name === 'Worker')?.id ?? '';
  const { id } = await api.post<{ id: string }>(
    '/v1/principals',
    { name: unique('worker'), kind: 'worker', role_ids: [roleId] },
    201,
  );
  return api.as((await api.post<IssuedKey>('/v1/api-keys', { name: unique('key'), principal_id: id }, 201)).key);
}

describe('claims', () => {
  it('wait for work, are told of it while they do not ask, and take only what they can do', async () => {
    const made = await workerAction();
    const other = await TestWorker.register(api, { action_names: [unique('other')] });
    const idle = await TestWorker.register(api, forAction(made));
    const otherClaim = other.ask({ type: 'jobs.claim', available_slots: 5 }).catch(() => null);
    const ack = await calling(made, { n: 1 });
    await idle.nextOf('work.available');
    const job = await idle.claim();
    expect(job).toMatchObject({
      kind: 'action_execution',
      origin: 'agent_tool_call',
      executor_kind: 'customer_worker',
      queue: 'default',
      action_name: made.name,
      agent_turn_id: ack.turn_id,
      session_id: ack.session_id,
      claim_attempt: 1,
      spec: { parameters: { n: 1 } },
    });
    expect(await idle.report(job, { result: { n: 2 } })).toMatchObject({ job_id: job.id, duplicate: false });
    expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
    expect(await results(ack)).toMatchObject([{ content: '{"n":2}', is_error: false }]);
    expect(other.frames).toEqual([]);
    other.kill();
    await otherClaim;
  });

  it('a second claim answers the first, and draining takes nothing more', async () => {
    const made = await workerAction();
    const worker = await TestWorker.register(api, forAction(made));
    const first = worker.ask({ type: 'jobs.claim', available_slots: 1 });
    const second = worker.ask({ type: 'jobs.claim', available_slots: 1 });
    expect(await first).toMatchObject({ type: 'jobs.claimed', jobs: [] });
    expect(await worker.ask({ type: 'worker.draining' })).toMatchObject({ type: 'worker.draining.ack' });
    expect(await second).toMatchObject({ jobs: [] });
    const ack = await calling(made);
    worker.send({ type: 'jobs.claim', available_slots: 1 });
    await TestWorker.register(api, forAction(made)).then(async (fresh) =>
      fresh.report(await fresh.claim(), { result: {} }),
    );
    expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
    expect(worker.frames).toEqual([]);
  });
});

describe('jobs', () => {
  it('of a turn are carried out at the same time by as many workers as ask', async () => {
    const made = await workerAction();
    const workers = await Promise.all([1, 2, 3].map(() => TestWorker.register(api, forAction(made))));
    const claims = workers.map((worker) => worker.claim());
    const ack = await invoke(
      api,
      made.agent.id,
      script({ calls: [1, 2, 3].map((n) => ({ name: made.name, input: { n } })) }, { say: 'done' }),
    );
    const jobs = await Promise.all(claims);
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(3);
    await Promise.all(jobs.map((job, index) => workers[index]?.report(job, { result: job.spec['parameters'] })));
    expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
    expect((await results(ack)).map(({ content }) => content).sort()).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
  });

  const shorts = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, `${index}`.padEnd(90, 'x')]));
  it.each<[string, object[]]>([
    ['one text', [{ text: 'x'.repeat(70_000) }]],
    ['many short texts', [shorts(1500)]],
    ['two halves', [{ a: shorts(700), b: shorts(700) }]],
    ['many calls', Array.from({ length: 150 }, (_, n) => ({ n, ...shorts(10) }))],
  ])('rule L18: a large input reaches the tool whole, and its session goes on: %s', async (_what, inputs) => {
    const made = await workerAction();
    const worker = await TestWorker.register(api, forAction(made));
    const calls = inputs.map((input) => ({ name: made.name, input }));
    const ack = await invoke(api, made.agent.id, script({ calls }, { say: 'done' }));
    const given: unknown[] = [];
    while (given.length < inputs.length) {
      const job = await worker.claim();
      given.push(job.spec['parameters']);
      await worker.report(job, { result: {} });
    }
    expect(new Set(given.map((input) => JSON.stringify(input)))).toEqual(
      new Set(inputs.map((input) => JSON.stringify(input))),
    );
    expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
    const blocks = (await allRows(api, ack.session_id)).flatMap(({ content }) => content);
    expect(blocks.filter(({ type }) => type === 'tool_use').map(({ input }) => input)).toEqual(inputs);
    await eventually('the session in the list', async () =>
      (await api.get<{ items: { id: string }[] }>('/v1/sessions', { agent_id: made.agent.id })).items.some(
        ({ id }) => id === ack.session_id,
      ),
    );
  });

  it.each<[string, object]>([
    ['one text', { text: 'x'.repeat(70_000) }],
    ['many short texts', shorts(1500)],
  ])('rule L18: a large result that waits for that of another call is kept whole: %s', async (_what, result) => {
    const made = await workerAction();
    const worker = await TestWorker.register(api, forAction(made));
    const calls = [{ n: 1 }, { n: 2 }].map((input) => ({ name: made.name, input }));
    const ack = await invoke(api, made.agent.id, script({ calls }, { read: 'last_tool_result' }));
    const [first, second] = [await worker.claim(), await worker.claim()];
    await worker.report(first, { result });
    await worker.report(second, { result: {} });
    expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
    expect((await results(ack)).map(({ content }) => content).sort()).toEqual(['{}', JSON.stringify(result)].sort());
  });

  it('rule L19: of an answer with more calls than a turn may make none is carried out', async () => {
    const agent = await createAgent(api, {
      action_selectors: [{ selector_type: 'exact', selector: 'svc.table.list' }],
    });
    const calls = Array.from({ length: 1_500 }, (_, n) => ({
      name: 'svc_table_list',
      input: { n, text: 'x'.repeat(90) },
    }));
    const ack = await invoke(api, agent.id, script({ calls }, { say: 'done' }));
    expect(await settled(api, ack)).toMatchObject({ status: 'failed', error_type: 'iteration_limit' });
  });

  it('that a worker failed, or whose result does not fit, give the model an error it can read', async () => {
    const made = await workerAction({ output_schema: { type: 'object', required: ['sum'] } });
    const worker = await TestWorker.register(api, forAction(made));
    const said1 = await outcome(made, worker, {
      status: 'failed',
      error_type: 'no_money',
      error_message: 'the account is empty',
    });
    expect(said1).toEqual({ error: { code: 'no_money', message: 'the account is empty' } });
    expect(await outcome(made, worker, { result: { other: 1 } })).toMatchObject({ error: { code: 'invalid_reply' } });
    expect(await outcome(made, worker, { status: 'cancelled' })).toMatchObject({ error: { code: 'cancelled' } });
  });

  async function outcome(made: WorkerAction, worker: TestWorker, report: Record<string, unknown>): Promise<unknown> {
    const ack = await calling(made);
    await worker.report(await worker.claim(), report);
    await settled(api, ack);
    const [block] = await results(ack);
    return JSON.parse(String(block?.content)) as unknown;
  }

  it('are reported once, under the lease that counts, by the worker that holds it', async () => {
    const made = await workerAction();
    const [worker, stranger] = await Promise.all([
      TestWorker.register(api, forAction(made)),
      TestWorker.register(await workerClient(), forAction(made)),
    ]);
    const ack = await calling(made);
    const job = await worker.claim();
    expect(await stranger.report(job, { result: { by: 'stranger' } })).toMatchObject({ duplicate: true });
    expect(await worker.report({ ...job, lease_token: 'lease_guess' }, { result: { by: 'guess' } })).toMatchObject({
      duplicate: true,
    });
    expect(await worker.report(job, { result: { by: 'worker' } })).toMatchObject({ duplicate: false });
    expect(await worker.report(job, { result: { by: 'worker again' } })).toMatchObject({ duplicate: true });
    await settled(api, ack);
    expect(await results(ack)).toMatchObject([{ content: '{"by":"worker"}' }]);
  });

  it('T19: of a cancelled turn are retired, and their worker is told', async () => {
    const made = await workerAction();
    const worker = await TestWorker.register(api, forAction(made));
    const ack = await calling(made);
    const job = await worker.claim();
    await cancelTurn(api, ack);
    expect(await worker.nextOf('job.cancel')).toMatchObject({
      job_id: job.id,
      reason: 'turn_over',
      requested_at: expect.any(String) as string,
    });
    expect(await worker.ask({ type: 'job.heartbeat', job_id: job.id, lease_token: job.lease_token })).toMatchObject({
      cancel: { job_id: job.id },
    });
    expect(await worker.report(job, { status: 'cancelled' })).toMatchObject({ duplicate: true });
    expect((await results(ack)).filter(({ is_error: isError }) => isError !== true)).toEqual([]);
  });

  it('are not begun by direct invocation while no worker that takes them is online', async () => {
    const made = await workerAction();
    const other = await TestWorker.register(api, forAction(await workerAction()));
    const call = { body: { input: { n: 7 } }, headers: { 'idempotency-key': unique('k') } };
    expect(await api.refused('action_not_ready', 'POST', `/v1/actions/${made.name}/invoke`, call)).toEqual({
      readiness_reason: 'provider_unavailable',
    });
    const worker = await TestWorker.register(api, forAction(made));
    const invoked = api.send('POST', `/v1/actions/${made.name}/invoke`, call);
    await worker.report(await worker.claim(), { result: { n: 8 } });
    expect((await invoked).status).toBe(200);
    other.kill();
  });

  it('come from direct invocation too', async () => {
    const made = await workerAction();
    const worker = await TestWorker.register(api, forAction(made));
    const invoked = api.send('POST', `/v1/actions/${made.name}/invoke`, { body: { input: { n: 7 } } });
    const job = await worker.claim();
    expect(job).toMatchObject({ origin: 'direct_action_invoke', spec: { parameters: { n: 7 } } });
    expect(job).not.toHaveProperty('session_id');
    await worker.report(job, { result: { n: 8 } });
    expect((await invoked).status).toBe(200);
  });
});

describe('models of workers', () => {
  it('are listed while a worker that offers them is online', async () => {
    const { route } = await routed();
    const listed = async () =>
      (await api.get<{ items: { provider: string; worker_count: number }[] }>('/v1/catalog/worker-models')).items.find(
        ({ provider }) => provider === route.provider,
      );
    expect(await listed()).toBeUndefined();
    const workers = await Promise.all([1, 2].map(() => TestWorker.register(api, { models: [route] })));
    await eventually('both', async () => (await listed())?.worker_count === 2);
    expect(await listed()).toEqual({ ...route, worker_count: 2, route: { mode: 'worker', ...route } });
    workers[0]?.kill();
    await eventually('the other', async () => (await listed())?.worker_count === 1);
    await workers[1]?.ask({ type: 'worker.draining' });
    await eventually('none', async () => (await listed()) === undefined);
  });

  it('answer with text that is seen as it is written, then with tool calls and usage', async () => {
    const { route, agent } = await routed();
    const worker = await TestWorker.register(api, { models: [route] });
    const ack = await invoke(api, agent.id, 'Hello there');
    const job = await worker.claim();
    expect(job).toMatchObject({
      kind: 'llm_generation',
      origin: 'agent_llm_call',
      ...route,
      agent_turn_id: ack.turn_id,
      session_id: ack.session_id,
    });
    expect(job.spec).toMatchObject({
      ...route,
      system: expect.stringContaining('Be brief.') as string,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello there' }] }],
    });
    const stream = await v2(api, ack.session_id, ack.resume_cursor);
    expect(await delta(worker, job, 0, { type: 'thinking', thinking: 'hm' })).toMatchObject({ received_sequence: 0 });
    await delta(worker, job, 1, { text: 'Hi ' });
    await stream.until('the pieces in a row that is being written', () =>
      [...foldTranscript(stream.frames).messages.values()].some(
        ({ status, content }) => status === 'streaming' && content[0]?.thinking === 'hm' && content[1]?.text === 'Hi ',
      ),
    );
    await worker.report(job, {
      result: {
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'Hi you' },
        ],
        usage: { input_tokens: 11, output_tokens: 2 },
        model: 'own-name',
      },
    });
    expect(await settled(api, ack)).toMatchObject({
      status: 'completed',
      usage: { input_tokens: 11, output_tokens: 2, calls: 1 },
    });
    stream.close();
    expect((await allRows(api, ack.session_id)).at(-1)?.content).toEqual([
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'Hi you' },
    ]);
    expect(await api.get(`/v1/sessions/${ack.session_id}`)).toMatchObject({
      model: 'own-name',
      model_provider: route.provider,
    });
  });

  it('call tools like any model, and get what came of it', async () => {
    const route = { provider: unique('prov'), model: unique('model') };
    const name = unique('work');
    await api.post('/v1/actions', { name, endpoint_kind: 'worker' }, 201);
    const agent = await createAgent(api, {
      model_route: { mode: 'worker', ...route },
      action_selectors: [{ selector_type: 'exact', selector: name }],
    });
    const worker = await TestWorker.register(api, { models: [route], action_names: [name] });
    const ack = await invoke(api, agent.id, 'Pay it');
    const call = await worker.claim();
    expect(call.spec).toMatchObject({ tools: [{ name }] });
    await worker.report(call, { result: { content: [{ type: 'tool_use', id: 'c1', name, input: { sum: 3 } }] } });
    const action = await worker.claim();
    expect(action).toMatchObject({ kind: 'action_execution', tool_call_id: 'c1', spec: { parameters: { sum: 3 } } });
    await worker.report(action, { result: { paid: true } });
    const next = await worker.claim();
    expect((next.spec['messages'] as { content: unknown[] }[]).at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'c1', content: '{"paid":true}', is_error: false },
    ]);
    await worker.report(next, { result: { content: 'Paid.' } });
    expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
    expect(said((await allRows(api, ack.session_id)).at(-1))).toBe('Paid.');
  });

  it('stop when the turn is cancelled', async () => {
    const { route, agent } = await routed();
    const worker = await TestWorker.register(api, { models: [route] });
    const ack = await invoke(api, agent.id, 'Hello');
    await reaches(api, ack, 'running');
    const job = await worker.claim();
    await cancelTurn(api, ack);
    expect(await worker.nextOf('job.cancel')).toMatchObject({ job_id: job.id });
    expect(await worker.report(job, { result: { content: 'too late' } })).toMatchObject({ duplicate: true });
  });
});
