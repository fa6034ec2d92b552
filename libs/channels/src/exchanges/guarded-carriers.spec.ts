import { GuardedEgress, type Resolve } from '@aos/adapters/egress';
import { SystemClock } from '@aos/adapters/system';
import { ManualClock, SilentTrap, bypassForms } from '@aos/kernel/testing';
import type { MessagingAccount, MessagingAccounts } from '../binding/messaging-accounts.js';
import type { ExchangeRecord } from '../exchange/exchange.events.js';
import { MailCarrier } from './mail-carrier.js';
import { ReplyCarriers } from './reply-carriers.js';

let trap: SilentTrap;
beforeAll(async () => {
  trap = await SilentTrap.set();
});
afterAll(() => {
  trap.close();
});

const exchange: ExchangeRecord = {
  id: 'exch_1',
  org_id: 'org_1',
  provider: 'webhook',
  integration_id: 'conn_1',
  message_id: 'm-1',
  channel: { id: 'D1', kind: 'dm' },
  sender: { id: 'ann@example.org' },
  text: 'Hello',
  agent_id: 'agent_1',
  binding_id: 'chan_1',
  arrived_at: '2026-01-01T00:00:00.000Z',
};
const mail = {
  email_id: 'email_1',
  message_id: '<1@example.org>',
  references: [],
  subject: 'Hi',
  inbox: 'a@inbox.example',
};
const byMail: ExchangeRecord = { ...exchange, provider: 'email', mail };

/** Sends by an account whose connection says this. */
function send(of: ExchangeRecord, account: Partial<MessagingAccount>, resolve?: Resolve) {
  const egress = new GuardedEgress({ clock: new SystemClock(), allow: [], ...(resolve && { resolve }) });
  const whole = { id: 'conn_1', url: null, host: null, username: null, grants: () => true, ...account };
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const accounts = { find: () => Promise.resolve(whole), secret: () => Promise.resolve(secret) };
  const clock = new ManualClock();
  const carriers = new ReplyCarriers(
    accounts as unknown as MessagingAccounts,
    egress,
    clock,
    new MailCarrier(egress, clock),
  );
  return carriers.send(of, 'Hello back', new AbortController().signal);
}
const channel = (url: string) => ({ kind: 'channel_webhook' as const, url });
const server = (host: string) => ({ kind: 'smtp' as const, host, username: 'post' });

describe('TE132: an answer to an address that is not public', () => {
  it.each(bypassForms)('never leaves: %s', async (form) => {
    const { port } = trap;
    for (const each of [port, 8443, 443])
      expect(['endpoint_blocked', 'invalid_url']).toContain(
        (await send(exchange, channel(`https://${form}:${each}/`))).error,
      );
    for (const each of [port, 25, 465, 587])
      expect(['endpoint_blocked', 'invalid_url', 'connection_kind']).toContain(
        (await send(byMail, server(`${form}:${each}`))).error,
      );
    expect(trap.connections).toBe(0);
  });

  it.each<[string, ExchangeRecord, Partial<MessagingAccount>]>([
    ['a bridge', exchange, channel('https://rebind.example/')],
    ['a mail server', byMail, server('rebind.example:587')],
  ])('never leaves for a name that leads there, and asks for the name once: %s', async (_what, of, account) => {
    const asked: string[] = [];
    const rebinding: Resolve = (name) => {
      asked.push(name);
      const addresses = asked.length === 1 ? ['93.184.215.14', '127.0.0.1'] : ['93.184.215.14'];
      return Promise.resolve(addresses.map((address) => ({ address, family: 4 as const })));
    };
    expect(await send(of, account, rebinding)).toEqual({ statusCode: null, error: 'endpoint_blocked' });
    expect([asked, trap.connections]).toEqual([['rebind.example'], 0]);
  });

  it('says what the account lacks', async () => {
    expect(await send(byMail, channel('https://example.com/'))).toEqual({ statusCode: null, error: 'connection_kind' });
    expect(await send(byMail, { ...server('x'), host: null })).toEqual({ statusCode: null, error: 'connection_kind' });
    expect(await send(exchange, { ...channel(''), grants: () => false })).toEqual({
      statusCode: null,
      error: 'connection_not_granted',
    });
  });
});
