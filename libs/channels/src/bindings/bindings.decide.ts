import type { Schema } from '@aos/contract';
import { Refusal, canonicalJson, invalidArgument, notFound } from '@aos/kernel';
import type { BindingEvent, BindingRecord } from '../binding/binding.events.js';
import { listedCharactersMax, listedMax } from '../binding/binding.limits.js';
import type { BindingState } from '../binding/binding.state.js';

export type BindingBody = Schema<'AgentMessagingBindingRequest'>;

export interface SaveBinding {
  orgId: string;
  agentId: string;
  id: string;
  body: BindingBody;
  /** An agent that is gone: an account that it answered from is free. */
  gone: string | null;
  by: string;
  now: string;
}

/**
 * Lets an agent answer from an account; the whole binding is replaced.
 *
 * Gives    nothing when it says what stands.
 * Refuses  already_exists {agent_id} over another agent's binding without `replace_existing`; invalid_argument for
 *          `dm_policy: open` of `email`, a route to workers, and lists that are too long.
 * Source   rule TE12.
 */
export function saveBinding(command: SaveBinding, { binding: known }: BindingState): BindingEvent[] {
  const { agentId, body, now } = command;
  const isOthers = known !== null && known.agent_id !== agentId && known.agent_id !== command.gone;
  if (isOthers && body.replace_existing !== true)
    throw new Refusal('already_exists', { agent_id: known.agent_id }, 'another agent answers from this account');
  const kept = known?.agent_id === agentId ? known : null;
  const binding: BindingRecord = {
    ...wanted(body),
    id: command.id,
    org_id: command.orgId,
    agent_id: agentId,
    created_by: kept?.created_by ?? command.by,
    created_at: kept?.created_at ?? now,
    updated_by: command.by,
    updated_at: now,
  };
  const { updated_by: _by, updated_at: _at, ...meant } = binding;
  const { updated_by: _before, updated_at: _then, ...stands } = known ?? binding;
  if (known && canonicalJson(meant) === canonicalJson(stands)) return [];
  return [{ type: 'BindingSaved', data: { binding } }];
}

/** Ends an agent's binding. Refuses not_found for one that is not that agent's. */
export function deleteBinding(
  command: { orgId: string; agentId: string; by: string; now: string },
  { binding }: BindingState,
): BindingEvent[] {
  if (binding?.org_id !== command.orgId || binding.agent_id !== command.agentId) throw notFound('messaging binding');
  return [
    { type: 'BindingDeleted', data: { binding: { ...binding, updated_by: command.by, updated_at: command.now } } },
  ];
}

type Wanted = Omit<
  BindingRecord,
  'id' | 'org_id' | 'agent_id' | 'created_by' | 'created_at' | 'updated_by' | 'updated_at'
>;

function wanted(body: BindingBody): Wanted {
  const isEmail = body.provider === 'email';
  const dmPolicy = body.dm_policy ?? (isEmail ? 'allowlist' : 'open');
  if (isEmail && dmPolicy === 'open')
    throw invalidArgument('dm_policy', 'the sender of a mail can be forged: an inbox needs an allowlist');
  if (body.model_route?.mode === 'worker')
    throw invalidArgument('model_route', 'a binding chooses a model of the service; workers are the route of an agent');
  return {
    provider: body.provider,
    integration_id: body.integration_id,
    enabled: body.enabled ?? false,
    dms: body.dms ?? true,
    mentions: body.mentions ?? true,
    all_messages: body.all_messages ?? false,
    channels: listed('channels', body.channels),
    dm_policy: dmPolicy,
    sender_allow: listed('sender_allow', body.sender_allow),
    reply_mode: body.reply_mode ?? 'auto',
    model_route: body.model_route ?? null,
    compaction_policy: body.compaction_policy ?? null,
  };
}

function listed(argument: string, values: readonly string[] = []): string[] {
  const unique = [...new Set(values)];
  if (unique.length > listedMax) throw invalidArgument(argument, `at most ${listedMax} entries`);
  if (unique.some(({ length }) => length === 0 || length > listedCharactersMax))
    throw invalidArgument(argument, `entries have 1 to ${listedCharactersMax} characters`);
  return unique;
}
