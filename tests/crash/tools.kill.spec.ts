import { OwnService } from '../harness/embedded.js';
import { ActionServer, allRows, createAgent, eventually, invoke, script, settled } from '../harness/index.js';

let server: ActionServer;
let service: OwnService;

beforeAll(async () => {
  server = await ActionServer.start('own');
  service = await OwnService.start({ SVC_EGRESS_ALLOW: `127.0.0.1:${server.port}` });
}, 60_000);
afterAll(async () => {
  await service.remove();
  await server.close();
});

it('R24, invariants 23, 24, 26: a call whose process died is made again under its delivery id, and has one result', async () => {
  const unanswered = new Promise<void>(() => undefined);
  await service.client.post('/v1/actions', { name: 'pay', endpoint_url: server.at('/pay', (_request, earlier) => (earlier === 0 ? { after: unanswered } : { body: { paid: true } })) }, 201);
  const agent = await createAgent(service.client, { action_selectors: [{ selector_type: 'custom', selector: 'pay' }] });
  const ack = await invoke(service.client, agent.id, script({ call: { name: 'pay', input: { sum: 1 } } }, { say: 'done' }));
  await eventually('the request', () => Promise.resolve(server.on('/pay').length === 1));
  await service.end('SIGKILL');
  await service.run();
  expect(await settled(service.client, ack, 30_000)).toMatchObject({ status: 'completed' });
  const ids = server.on('/pay').map(({ headers }) => headers['x-svc-delivery-id']);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
  const results = (await allRows(service.client, ack.session_id)).flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  expect(results).toMatchObject([{ content: '{"paid":true}', is_error: false }]);
});
