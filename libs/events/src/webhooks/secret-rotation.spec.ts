import { CountingIds } from '@aos/kernel/testing';
import { KeyRing, Sealer } from '@aos/platform';
import { WebhookSecrets } from '../webhook/webhook-secrets.js';
import type { WebhookRecord } from '../webhook/webhook.events.js';
import { rotateWebhook } from './webhooks.decide.js';

const secretsUnder = (keyId: string, fill: number) =>
  new WebhookSecrets(new Sealer(new KeyRing([{ keyId, secret: Buffer.alloc(32, fill) }])), new CountingIds());
const secrets = secretsUnder('k1', 1);
const at = '2026-11-28T00:00:00.000Z';
const orgId = 'org_1';
const first = secrets.made(orgId, 'hook_1', 1);
const hook: WebhookRecord = {
  id: 'hook_1',
  org_id: orgId,
  url: 'https://one.example/events',
  event_types: ['agent.*'],
  source_kinds: null,
  description: null,
  status: 'active',
  disabled: null,
  signing: { version: 1, sealed: first.sealed, previous: null },
  start: { number: 1, position: null, after: null },
  created_by: 'svc_1',
  created_at: at,
  updated_at: at,
};

function rotated(webhook: WebhookRecord, now: string, of = secrets): { webhook: WebhookRecord; secret: string } {
  const { version } = webhook.signing;
  const { secret, sealed } = of.made(orgId, webhook.id, version + 1);
  const [event] = rotateWebhook({ orgId, now, sealed, version }, { webhook, isDeleted: false });
  if (!event) throw new Error('nothing was rotated');
  return { webhook: event.data.webhook, secret };
}

describe('secrets of a web hook that is rotated (rule TE121)', () => {
  const second = rotated(hook, at);

  it('both sign for 24 hours, the newer one first; then the newer one alone', () => {
    expect(secrets.signing(second.webhook, Date.parse('2026-11-28T23:59:59.999Z'))).toEqual([
      second.secret,
      first.secret,
    ]);
    expect(secrets.signing(second.webhook, Date.parse('2026-11-29T00:00:00.000Z'))).toEqual([second.secret]);
  });

  it('only the newest two do, when it is rotated again meanwhile', () => {
    const third = rotated(second.webhook, '2026-11-28T01:00:00.000Z');
    expect(secrets.signing(third.webhook, Date.parse('2026-11-28T02:00:00.000Z'))).toEqual([
      third.secret,
      second.secret,
    ]);
  });

  it('the new one alone, when the master key of the one before is gone', () => {
    const later = secretsUnder('k2', 2);
    const repaired = rotated(hook, at, later);
    expect(later.signing(repaired.webhook, Date.parse(at))).toEqual([repaired.secret]);
    expect(() => later.signing(hook, Date.parse(at))).toThrow('no master key k1');
  });

  it('are sealed anew without one that signs no more and cannot be opened', () => {
    const repaired = rotated(hook, at, secretsUnder('k2', 2)).webhook;
    const keys = ['k3', 'k2'].map((keyId, index) => ({ keyId, secret: Buffer.alloc(32, 3 - index) }));
    const now = new WebhookSecrets(new Sealer(new KeyRing(keys)), new CountingIds());
    expect(now.renewed(repaired, Date.parse('2026-11-28T23:59:59.999Z'))).toBe('unreadable');
    const dayAfter = Date.parse('2026-11-29T00:00:00.000Z');
    const signing = now.renewed(repaired, dayAfter);
    if (signing === 'unreadable') throw new Error('the newest secret can be opened');
    expect(signing).toMatchObject({ version: 2, previous: null });
    const renewed = { ...repaired, signing };
    expect(secretsUnder('k3', 3).signing(renewed, dayAfter)).toEqual(now.signing(repaired, dayAfter));
    expect(now.renewed(renewed, dayAfter)).toBe(signing);
  });
});
