import type { BindingRecord } from '../binding/binding.events.js';
import type { Channel, ExchangeEvent, ExchangeRecord, Sender } from '../exchange/exchange.events.js';
import type { ExchangeState } from '../exchange/exchange.state.js';

/** What a binding is asked about. */
export interface Heard {
  channel: Channel;
  sender: Sender;
  isBot: boolean;
  mentionsAgent: boolean;
}

/**
 * Why a binding's agent does not answer a message; null when it does.
 *
 * Takes    `isAgentThere`: the organization's own principal sees the agent, and it begins turns.
 * Source   rule TE13.
 */
export function whyIgnored(binding: BindingRecord | null, heard: Heard, isAgentThere: boolean): string | null {
  const { channel, sender, isBot, mentionsAgent } = heard;
  if (!binding) return 'no_binding';
  if (!binding.enabled) return 'not_enabled';
  if (!isAgentThere) return 'agent_unavailable';
  if (isBot) return 'bot';
  if (channel.kind === 'dm') {
    if (!binding.dms) return 'dms_off';
    if (binding.dm_policy === 'disabled') return 'dm_policy';
    if (binding.dm_policy === 'allowlist' && !isAllowed(binding, sender)) return 'sender_not_allowed';
    return null;
  }
  if (binding.channels.length > 0 && !binding.channels.includes(channel.id)) return 'channel_not_listed';
  if (binding.all_messages || (binding.mentions && mentionsAgent)) return null;
  return 'not_mentioned';
}

/** Addresses of mail are the same in any case. */
function isAllowed({ provider, sender_allow: allowed }: BindingRecord, { id }: Sender): boolean {
  if (provider !== 'email') return allowed.includes(id);
  return allowed.some((each) => each.trim().toLowerCase() === id.toLowerCase());
}

/** Records a message, once. Nothing for one that came before. */
export function arrive(
  command: { exchange: ExchangeRecord; ignored: string | null },
  { exchange: known }: ExchangeState,
): ExchangeEvent[] {
  if (known) return [];
  const { exchange, ignored } = command;
  return ignored === null
    ? [{ type: 'MessageArrived', data: { exchange } }]
    : [{ type: 'ExchangeIgnored', data: { exchange, reason: ignored } }];
}

/** Records the turn that answers. Nothing unless the exchange waits for one. */
export function admit(
  command: { session_id: string; turn_id: string; at: string },
  { exchange, status }: ExchangeState,
): ExchangeEvent[] {
  return exchange && status === 'arrived' ? [{ type: 'ExchangeAdmitted', data: { ...command } }] : [];
}

/** Ends an exchange without an answer. Nothing when it has ended. */
export function abandon(
  command: { reason: string; at: string },
  { exchange, status, attempts }: ExchangeState,
): ExchangeEvent[] {
  if (!exchange || status === 'ignored' || status === 'delivered' || status === 'abandoned') return [];
  return [{ type: 'ReplyAbandoned', data: { attempt: attempts, reason: command.reason, at: command.at } }];
}
