import type { Schema } from '@aos/client';
import { accountsFor, answersText, bodyOf, newBinding, type Binding } from './binding-draft';

const binding = (part: Partial<Binding>): Binding => ({
  id: 'chan_1',
  agent_id: 'agent_1',
  provider: 'slack',
  integration_id: 'conn_1',
  enabled: true,
  dms: true,
  mentions: true,
  all_messages: false,
  channels: [],
  dm_policy: 'open',
  sender_allow: [],
  reply_mode: 'auto',
  created_at: '2026-11-27T12:00:00.000Z',
  updated_at: '2026-11-27T12:00:00.000Z',
  ...part,
});

const connection = (part: Partial<Schema<'Connection'>>): Schema<'Connection'> => ({
  id: 'conn_1',
  name: 'bridge',
  kind: 'channel_webhook',
  owner: { kind: 'team', id: null },
  hosts: ['https://bridge.example.com'],
  status: 'active',
  grants: { principal_ids: [], everyone: true, actions: [] },
  created_at: '2026-11-27T12:00:00.000Z',
  updated_at: '2026-11-27T12:00:00.000Z',
  ...part,
});

describe('a messaging binding', () => {
  it('is saved whole, what the form does not show too', () => {
    const route = { mode: 'managed' as const, model: 'svc-scripted-1' };
    const body = bodyOf(binding({ model_route: route, channels: ['C1'] }));
    expect(body).toMatchObject({ provider: 'slack', integration_id: 'conn_1', model_route: route, channels: ['C1'] });
    for (const member of ['id', 'agent_id', 'created_at', 'updated_at']) expect(body).not.toHaveProperty(member);
  });

  it('of mail begins with an allowlist, because a sender can be forged', () => {
    expect(newBinding('email').dm_policy).toBe('allowlist');
    expect(newBinding('slack').dm_policy).toBe('open');
  });

  it('is offered the accounts of the team that grant the agent, of its kind', () => {
    const offered = (provider: 'slack' | 'email', part: Partial<Schema<'Connection'>>) =>
      accountsFor(provider, 'agent_1', [connection(part)]).length;
    const grants = (ids: string[]) => ({ principal_ids: ids, everyone: false, actions: [] });
    expect(offered('slack', {})).toBe(1);
    expect(offered('slack', { grants: grants(['agent_1']) })).toBe(1);
    expect(offered('slack', { grants: grants(['agent_2']) })).toBe(0);
    expect(offered('slack', { kind: 'smtp' })).toBe(0);
    expect(offered('slack', { owner: { kind: 'person', id: 'user_1' } })).toBe(0);
    expect(offered('email', { kind: 'smtp' })).toBe(1);
  });

  it('says what it answers', () => {
    expect(answersText(binding({}))).toBe('direct messages, mentions in all channels');
    expect(answersText(binding({ all_messages: true, channels: ['C1'] }))).toBe(
      'direct messages, every message in 1 channel',
    );
    expect(answersText(binding({ dm_policy: 'allowlist', mentions: false }))).toBe('named senders');
    expect(answersText(binding({ dms: false, mentions: false }))).toBe('nothing');
    expect(answersText(binding({ provider: 'email', dm_policy: 'disabled' }))).toBe('nothing');
  });
});
