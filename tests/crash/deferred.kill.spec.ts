import {
  type ActionRequest,
  type Agent,
  Client,
  eventually,
  invoke,
  reaches,
  readTurn,
  script,
  settled,
  type TurnAck,
} from '../harness/index.js';
import { CallingService } from './calling-service.js';

const never = new Promise<void>(() => undefined);
const taken = { status: 202, headers: { 'x-svc-result': 'deferred' } };
let service: CallingService;

beforeAll(async () => {
  service = await CallingService.start();
});
afterAll(() => service.remove());

/** A turn that calls an action; each of its requests is kept, and answered as the script says. */
async function calling(
  name: string,
  answer: (earlier: number) => { after?: Promise<void>; status?: number; headers?: Record<string, string> },
): Promise<{ ack: TurnAck; agent: Agent; requests: ActionRequest[] }> {
  const requests: ActionRequest[] = [];
  await service.action(
    name,
    (request, earlier) => {
      requests.push(request);
      return answer(earlier);
    },
    { long_running: true },
  );
  const agent = await service.agentWith(name);
  const ack = await invoke(service.client, agent.id, script({ call: { name, input: {} } }, { say: 'done' }));
  await eventually('the request', () => Promise.resolve(requests.length > 0));
  return { ack, agent, requests };
}

/** What comes to the address of the callback, on the service as it runs now. */
function bring(request: ActionRequest | undefined, body: object): Promise<{ status: number }> {
  if (!request) throw new Error('nothing was sent');
  const { pathname } = new URL(String(request.headers['x-svc-callback-url']));
  const client = new Client(service.client.baseUrl, String(request.headers['x-svc-callback-token']));
  return client.send('POST', pathname, { body });
}

describe('TE81: a call that its endpoint took', () => {
  it('waits on over a kill, is not sent again, and takes its result once', async () => {
    const { ack, requests } = await service.dyingAt('after-job-deferral', () => calling('taken', () => taken));
    expect(await readTurn(service.client, ack)).toMatchObject({ status: 'waiting' });
    expect(await bring(requests[0], { output: { n: 1 } })).toMatchObject({ status: 204 });
    await service.kill();
    expect(await settled(service.client, ack)).toMatchObject({ status: 'completed', usage: { calls: 2 } });
    expect(await bring(requests[0], { output: { n: 2 } })).toMatchObject({ status: 404 });
    expect(await service.results(ack)).toMatchObject([{ content: '{"n":1}', is_error: false }]);
    expect(requests).toHaveLength(1);
  });

  it('is sent again under its delivery id when the service dies before the answer; either token brings the result', async () => {
    const { ack, requests } = await calling('unanswered', (earlier) => (earlier === 0 ? { after: never } : taken));
    await reaches(service.client, ack, 'waiting');
    await service.kill();
    await eventually('the second request', () => Promise.resolve(requests.length === 2));
    expect(new Set(requests.map(({ headers }) => headers['x-svc-delivery-id'])).size).toBe(1);
    expect(await bring(requests[0], { output: { first: true } })).toMatchObject({ status: 204 });
    expect(await settled(service.client, ack)).toMatchObject({ status: 'completed' });
    expect(await service.results(ack)).toMatchObject([{ content: '{"first":true}', is_error: false }]);
  });

  it('killed while results come in: the repeat of each makes sure, and one result is kept', async () => {
    const calls = await Promise.all([1, 2, 3].map((round) => calling(`racing-${round}`, () => taken)));
    for (const { ack } of calls) await reaches(service.client, ack, 'waiting');
    const first = calls.map(({ requests }, round) => bring(requests[0], { output: { round } }).catch(() => null));
    await service.kill();
    await Promise.all(first);
    for (const [round, { ack, requests }] of calls.entries()) {
      const repeated = await bring(requests[0], { output: { round } });
      expect([204, 404]).toContain(repeated.status);
      expect(await settled(service.client, ack)).toMatchObject({ status: 'completed', usage: { calls: 2 } });
      expect(await service.results(ack)).toMatchObject([{ content: JSON.stringify({ round }), is_error: false }]);
      expect(requests.length).toBeLessThanOrEqual(2);
    }
  });
});
