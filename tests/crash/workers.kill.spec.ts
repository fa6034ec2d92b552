import { OwnService } from '../harness/embedded.js';
import { type Client, allRows, createAgent, invoke, said, script, settled } from '../harness/index.js';
import { TestWorker, endWorkers } from '../harness/worker.js';

let service: OwnService;
let api: Client;

beforeAll(async () => {
  service = await OwnService.start({ SVC_WORKER_LEASE_SECONDS: '6' });
  api = service.client;
  await api.post('/v1/actions', { name: 'pay', endpoint_kind: 'worker' }, 201);
});
afterAll(async () => {
  endWorkers();
  await service.remove();
});

const route = { provider: 'p', model: 'm' };
const results = async (sessionId: string) =>
  (await allRows(api, sessionId)).flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));

/** A worker that comes back under its name. */
async function connect(token?: string): Promise<{ worker: TestWorker; token: string }> {
  const worker = await TestWorker.connect(api);
  if (!(worker instanceof TestWorker)) throw new Error(`refused with ${worker}`);
  const registered = await worker.ask(
    {
      type: 'worker.register',
      worker_instance_id: 'own',
      action_names: ['pay'],
      models: [route],
      ...(token === undefined ? {} : { worker_session_token: token }),
    },
    'worker.registered',
  );
  return { worker, token: String(registered['worker_session_token']) };
}

async function restart(): Promise<void> {
  await service.end('SIGKILL');
  await service.run();
}

it('a job that is under way when the service dies is reported to its successor, once', async () => {
  const agent = await createAgent(api, { action_selectors: [{ selector_type: 'exact', selector: 'pay' }] });
  const { worker, token } = await connect();
  const ack = await invoke(api, agent.id, script({ call: { name: 'pay', input: { sum: 1 } } }, { say: 'done' }));
  const job = await worker.claim();
  await restart();
  const { worker: back } = await connect(token);
  expect(await back.ask({ type: 'job.heartbeat', job_id: job.id, lease_token: job.lease_token })).not.toHaveProperty(
    'cancel',
  );
  expect(await back.report(job, { result: { paid: true } })).toMatchObject({ duplicate: false });
  expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
  expect(await results(ack.session_id)).toMatchObject([{ content: '{"paid":true}', is_error: false }]);
  back.kill();
});

it("a result that was reported just before the service dies is the turn's", async () => {
  const agent = await createAgent(api, { action_selectors: [{ selector_type: 'exact', selector: 'pay' }] });
  const { worker } = await connect();
  const ack = await invoke(api, agent.id, script({ call: { name: 'pay', input: { sum: 2 } } }, { say: 'done' }));
  const job = await worker.claim();
  await worker.report(job, { result: { paid: 2 } });
  await restart();
  expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
  expect(await results(ack.session_id)).toMatchObject([{ content: '{"paid":2}', is_error: false }]);
});

it('a job that waits when the service dies, and one whose worker dies with it, are offered after the start under their ids', async () => {
  const agent = await createAgent(api, { action_selectors: [{ selector_type: 'exact', selector: 'pay' }] });
  const { worker } = await connect();
  const calls = script(
    {
      calls: [
        { name: 'pay', input: { n: 1 } },
        { name: 'pay', input: { n: 2 } },
      ],
    },
    { say: 'done' },
  );
  const ack = await invoke(api, agent.id, calls);
  const lost = await worker.claim();
  worker.kill();
  await restart();
  const { worker: other } = await connect();
  const jobs = [await other.claim(), await other.claim()];
  const again = jobs.find(({ id }) => id === lost.id);
  expect(again).toMatchObject({ claim_attempt: 2, spec: lost.spec });
  for (const job of jobs) await other.report(job, { result: job.spec['parameters'] });
  expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
  expect((await results(ack.session_id)).map(({ content }) => content).sort()).toEqual(['{"n":1}', '{"n":2}']);
  other.kill();
});

it('a model call that is under way when the service dies goes on with the same job', async () => {
  const agent = await createAgent(api, { model_route: { mode: 'worker', ...route } });
  const { worker, token } = await connect();
  const ack = await invoke(api, agent.id, 'Hello');
  const job = await worker.claim();
  await restart();
  const { worker: back } = await connect(token);
  await back.report(job, { result: { content: 'Hello you' } });
  expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
  expect((await allRows(api, ack.session_id)).map((row) => said(row))).toEqual(['Hello', 'Hello you']);
});
