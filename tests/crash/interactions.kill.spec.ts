import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OwnService } from '../harness/embedded.js';
import {
  type Agent,
  Client,
  type Page,
  allRows,
  converse,
  createAgent,
  eventually,
  person,
  unique,
} from '../harness/index.js';

const kills = Number(process.env['KILLS'] ?? 4);
/** A try that fell with its process is taken up again after 30 s. */
const deliveredMs = 60_000;
jest.setTimeout(300_000);

interface Interaction {
  id: string;
  status: string;
  resolved_by: string | null;
  outcome: unknown;
  consumer: { http_subscriber?: { delivery: { status: string; delivery_id: string } | null } };
}

const received = new Map<string, Set<string>>();
let receiver: Server;
let service: OwnService;
let api: Client;
let agent: Agent;
let ann: { id: string; client: Client };
let seed = Number(process.env['SEED'] ?? 11);

const random = () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const { interaction_id: id } = JSON.parse(body) as { interaction_id: string };
      received.set(id, (received.get(id) ?? new Set()).add(String(request.headers['x-svc-delivery-id'])));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve);
  });
  service = await OwnService.start({ SVC_EGRESS_ALLOW: `127.0.0.1:${(receiver.address() as AddressInfo).port}` });
  api = service.client;
  agent = await createAgent(api, { name: unique('crash') });
  ann = await person(api);
});

afterAll(async () => {
  await service.remove();
  receiver.closeAllConnections();
  receiver.close();
});

const asked = (consumer: unknown, fields: Record<string, unknown> = {}) =>
  api.post<Interaction>(
    '/v1/interactions',
    { kind: 'request_information', title: unique('q'), target_user_ids: [ann.id], consumer, ...fields },
    201,
  );
const read = (id: string) => api.get<Interaction>(`/v1/interactions/${id}`);

describe('a service that is killed around an outcome', () => {
  it.each(Array.from({ length: kills }, (_, index) => index))(
    '51, 52: still delivers it, once to the session and under one id to the subscriber (kill %i)',
    async () => {
      const { port } = receiver.address() as AddressInfo;
      const { ack } = await converse(api, agent.id, 'hello');
      const subscribed = await asked({
        kind: 'http_subscriber',
        http_subscriber: { callback_url: `http://127.0.0.1:${port}/` },
      });
      const inSession = await asked({
        kind: 'agent_tool',
        agent_tool: { invocation_id: ack.turn.id, tool_call_id: 'c' },
      });
      const expiring = await asked({ kind: 'none' }, { expires_at: new Date(Date.now() + 2_000).toISOString() });
      for (const { id } of [subscribed, inSession])
        await ann.client.post(`/v1/interactions/${id}/respond`, { value: 'x' }, 200);
      const after = random() * 800;
      await new Promise((resolve) => {
        setTimeout(resolve, after);
      });
      await service.end('SIGKILL');
      await service.run();
      const startedAt = performance.now();
      await eventually('the expiry', async () => (await read(expiring.id)).status === 'expired');
      expect(performance.now() - startedAt).toBeLessThan(5_000);
      const rows = await eventually(
        'the outcome in the session',
        async () => {
          const found = (await allRows(api, ack.session.id)).filter(
            ({ metadata }) => metadata?.['event_type'] === 'interaction.resolved',
          );
          return found.length > 0 ? found : null;
        },
        deliveredMs,
      );
      expect(rows).toHaveLength(1);
      const delivered = await eventually(
        'the delivery',
        async () => {
          const { delivery } = (await read(subscribed.id)).consumer.http_subscriber ?? { delivery: null };
          return delivery?.status === 'delivered' ? delivery : null;
        },
        deliveredMs,
      );
      expect([...(received.get(subscribed.id) ?? [])]).toEqual([delivered.delivery_id]);
      for (const { id } of [subscribed, inSession])
        expect(await read(id)).toMatchObject({
          status: 'completed',
          resolved_by: 'any_of',
          outcome: { answers: [{ text: 'x' }] },
        });
      for (const id of [subscribed.id, inSession.id, expiring.id]) {
        const events = await eventually('the source event', async () => {
          const page = await api.get<Page<{ meta: { id: string } }>>('/v1/events', {
            event_type: 'interaction.resolved',
            source_id: id,
          });
          return page.items.length > 0 ? page.items : null;
        });
        expect(events).toHaveLength(1);
      }
    },
  );
});
