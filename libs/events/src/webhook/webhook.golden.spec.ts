import { foldFrozen, goldenEvents } from '@aos/kernel/testing';
import { upcast, type RecordedEvent } from '@aos/kernel';
import { webhookAudit } from './webhook.audit.js';
import { webhookEvents, type WebhookEvent } from './webhook.events.js';
import { activeWebhooksProjection, webhooksProjection } from './webhook.projection.js';
import { webhookKind } from './webhook.state.js';
import { webhookWire } from './webhook.wire.js';

const golden = goldenEvents(__dirname);

function recorded(type: WebhookEvent['type']) {
  const found = golden.find((event) => event.type === type);
  if (!found) throw new Error(`${type} has no golden file`);
  return found;
}

const after = (...types: WebhookEvent['type'][]) =>
  foldFrozen(
    webhookKind,
    types.map((type) => {
      const { data, schema_version: version } = recorded(type);
      return upcast(webhookEvents, type, structuredClone(data), version) as WebhookEvent;
    }),
  );

describe('recorded events of web hooks', () => {
  it('are all kept, at every version', () => {
    const names = golden.map(({ type, schema_version: version }) => `${type}@${version}`);
    expect(names.sort()).toEqual(
      Object.entries(webhookEvents)
        .map(([type, { version }]) => `${type}@${version}`)
        .sort(),
    );
  });

  it('say what they meant', () => {
    expect(after('WebhookCreated')).toMatchObject({ webhook: { status: 'active' }, isDeleted: false });
    expect(after('WebhookCreated', 'WebhookChanged').webhook?.source_kinds).toEqual(['session']);
    expect(after('WebhookCreated', 'WebhookRotated').webhook?.signing.previous?.version).toBe(1);
    expect(after('WebhookCreated', 'WebhookDisabled').webhook?.disabled?.reason).toBe('gone');
    expect(after('WebhookCreated', 'WebhookDisabled', 'WebhookEnabled').webhook?.start.number).toBe(2);
    expect(after('WebhookCreated', 'WebhookRedelivered')).toMatchObject({ webhook: { status: 'active' } });
    expect(after('WebhookCreated', 'WebhookDeleted').isDeleted).toBe(true);
    expect(after('WebhookCreated', 'WebhookResealed').webhook?.signing.sealed).toBe('s1.k2.CCCC');
  });

  it('stand in the list while they are there, and for the process that delivers while they are active', () => {
    const rows = (...types: WebhookEvent['type'][]) => {
      const projected = { state: after(...types), id: 'hook_01m86evyw008ggw6c26cj58twe', revision: 1 };
      return [webhooksProjection.rows(projected)[0]?.doc, activeWebhooksProjection.rows(projected)[0]?.doc].map(
        (doc) => doc !== null && doc !== undefined,
      );
    };
    expect(rows('WebhookCreated')).toEqual([true, true]);
    expect(rows('WebhookCreated', 'WebhookDisabled')).toEqual([true, false]);
    expect(rows('WebhookCreated', 'WebhookDeleted')).toEqual([false, false]);
  });

  it('are shown and audited without a secret', () => {
    for (const { type, data } of golden) {
      const meta = { schema_version: '1', org_id: 'org_1', recorded_at: '', principal_id: 'user_1' };
      const event: RecordedEvent = { stream: 'webhook-x', revision: 0, position: '1', id: '1', type, data, meta };
      expect(JSON.stringify(webhookAudit.facts(event, null))).not.toContain('s1.k');
    }
    const { webhook } = after('WebhookCreated', 'WebhookRotated');
    expect(webhook && JSON.stringify(webhookWire(webhook))).not.toContain('s1.k');
  });
});
