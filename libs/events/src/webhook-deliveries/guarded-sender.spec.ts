import { GuardedEgress, type Resolve } from '@aos/adapters/egress';
import { SystemClock } from '@aos/adapters/system';
import { ManualClock, SilentTrap, bypassForms } from '@aos/kernel/testing';
import type { WebhookRecord } from '../webhook/webhook.events.js';
import type { WebhookSecrets } from '../webhook/webhook-secrets.js';
import { WebhookSender } from './webhook-sender.js';

let trap: SilentTrap;
beforeAll(async () => {
  trap = await SilentTrap.set();
});
afterAll(() => {
  trap.close();
});

const secrets = { signing: () => [`whsec_${Buffer.alloc(32, 7).toString('base64')}`] } as unknown as WebhookSecrets;
const send = (url: string, resolve?: Resolve) => {
  const egress = new GuardedEgress({ clock: new SystemClock(), allow: [], ...(resolve && { resolve }) });
  const sender = new WebhookSender(egress, secrets, new ManualClock());
  const webhook = { id: 'hook_1', org_id: 'org_1', url } as WebhookRecord;
  return sender.send(webhook, 'evt_1', '{}', new AbortController().signal);
};

describe('TE132: a delivery to an address that is not public', () => {
  it.each(bypassForms)('never leaves: %s', async (form) => {
    const { port } = trap;
    for (const url of [`https://${form}:${port}/`, `https://${form}:8443/`, `https://${form}/`]) {
      const { status, error } = await send(url);
      expect(status).toBeNull();
      expect(['endpoint_blocked', 'invalid_url']).toContain(error);
    }
    expect(trap.connections).toBe(0);
  });

  it('never leaves for a name that leads there, and asks for the name once', async () => {
    const asked: string[] = [];
    const rebinding: Resolve = (name) => {
      asked.push(name);
      const addresses = asked.length === 1 ? ['93.184.215.14', '127.0.0.1'] : ['93.184.215.14'];
      return Promise.resolve(addresses.map((address) => ({ address, family: 4 as const })));
    };
    expect(await send('https://rebind.example/', rebinding)).toMatchObject({ error: 'endpoint_blocked' });
    expect([asked, trap.connections]).toEqual([['rebind.example'], 0]);
  });
});
