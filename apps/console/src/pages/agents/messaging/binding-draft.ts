import type { RequestBody, Schema } from '@aos/client';

export type Binding = Schema<'AgentMessagingBinding'>;
export type BindingBody = RequestBody<'saveAgentMessagingBinding'>;
export type Provider = Binding['provider'];
type Connection = Schema<'Connection'>;

const providerNames: Record<Provider, string> = {
  slack: 'Slack',
  telegram: 'Telegram',
  linear: 'Linear',
  webhook: 'Another service',
  email: 'E-mail',
};

export function providerText(provider: Provider): string {
  return providerNames[provider];
}

export const providerChoices = (Object.keys(providerNames) as Provider[]).map((value) => ({
  value,
  label: providerNames[value],
}));

/** A binding answers direct messages, mentions and channels; mail only has senders. */
export function newBinding(provider: Provider): BindingBody {
  return {
    provider,
    integration_id: '',
    enabled: true,
    dms: true,
    mentions: true,
    all_messages: false,
    channels: [],
    dm_policy: provider === 'email' ? 'allowlist' : 'open',
    sender_allow: [],
  };
}

/** The whole binding as it stands: a save replaces all of it. */
export function bodyOf(of: Binding): BindingBody {
  const { id: _id, agent_id: _agent, created_at: _made, updated_at: _changed, ...body } = of;
  return body;
}

/** The accounts that an agent may answer from: the team's, of the provider's kind, which grant it. */
export function accountsFor(provider: Provider, agentId: string, connections: readonly Connection[]): Connection[] {
  const kind = provider === 'email' ? 'smtp' : 'channel_webhook';
  return connections.filter(
    ({ kind: is, owner, grants }) =>
      is === kind && owner.kind === 'team' && (grants.everyone || grants.principal_ids.includes(agentId)),
  );
}

/** What a binding answers, in a line. */
export function answersText({ provider, dms, dm_policy: policy, mentions, all_messages, channels }: Binding): string {
  const direct = dms && policy !== 'disabled' ? (policy === 'allowlist' ? 'named senders' : 'direct messages') : null;
  if (provider === 'email') return direct ?? 'nothing';
  const where =
    channels.length === 0 ? 'all channels' : channels.length === 1 ? '1 channel' : `${channels.length} channels`;
  const rest = all_messages ? `every message in ${where}` : mentions ? `mentions in ${where}` : null;
  return [direct, rest].filter((part) => part !== null).join(', ') || 'nothing';
}
