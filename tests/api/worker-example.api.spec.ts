import { Client, allRows, callerWith, createAgent, invoke, said, script, settled } from '../harness/index.js';
import { ExampleWorker, exampleCode } from '../harness/example-worker.js';

const api = Client.owner();
const workers: ExampleWorker[] = [];

beforeAll(async () => {
  const { status } = await api.send('POST', '/v1/actions', { body: { name: 'greet', endpoint_kind: 'worker' } });
  expect([201, 409]).toContain(status);
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.kill();
});

const start = (change?: (code: string) => string, as: Pick<Client, 'baseUrl' | 'key'> = api): ExampleWorker => {
  const worker = ExampleWorker.start(as, change);
  workers.push(worker);
  return worker;
};
const greeter = () => createAgent(api, { action_selectors: [{ selector_type: 'exact', selector: 'greet' }] });

it('the worker of docs/WORKERS.md has 40 lines, and carries out an action and a model call', async () => {
  expect(exampleCode().trimEnd().split('\n')).toHaveLength(40);
  start();
  const [agent, echo] = await Promise.all([
    greeter(),
    createAgent(api, { model_route: { mode: 'worker', provider: 'mine', model: 'echo-1' } }),
  ]);
  const greeting = await invoke(
    api,
    agent.id,
    script({ call: { name: 'greet', input: { name: 'Ann' } } }, { read: 'last_tool_result' }),
  );
  expect(await settled(api, greeting)).toMatchObject({ status: 'completed' });
  expect(said((await allRows(api, greeting.session_id)).at(-1))).toBe('{"text":"Hello Ann"}');
  const heard = await invoke(api, echo.id, 'Who is there?');
  expect(await settled(api, heard)).toMatchObject({ status: 'completed' });
  expect(said((await allRows(api, heard.session_id)).at(-1))).toBe('I heard: Who is there?');
});

it('killed in the middle of a job, it hands the job on', async () => {
  const stuck = start((code) =>
    code.replace('return { text: `Hello ${name}` };', "console.log('has it'); return new Promise(() => {});"),
  );
  const agent = await greeter();
  const ack = await invoke(
    api,
    agent.id,
    script({ call: { name: 'greet', input: { name: 'Bob' } } }, { read: 'last_tool_result' }),
  );
  await stuck.says('has it');
  await stuck.kill();
  start();
  expect(await settled(api, ack, 90_000)).toMatchObject({ status: 'completed' });
  expect(said((await allRows(api, ack.session_id)).at(-1))).toBe('{"text":"Hello Bob"}');
});

it('the worker ends with a message when its key is wrong, or may not do it', async () => {
  const unknown = start(undefined, { baseUrl: api.baseUrl, key: `svck_${'x'.repeat(40)}` });
  await unknown.says('The service does not accept the key in KEY.');
  expect(await unknown.ends()).toBe(1);
  const user = start(undefined, await callerWith(api, 'User'));
  await user.says('The key in KEY may not carry out jobs.');
  expect(await user.ends()).toBe(1);
});
