import type { ConnectionRecord } from '../connection/connection.events.js';

/** An agent's rule for one provider (contract, `AgentIntegrationAccess`). */
export type AccessRule = { provider: string; act_as_user?: boolean; pin?: string };

/** The action that is called, as it stands now. */
export type CalledAction = { name: string; provider: string; endpoint_url: string | null };

/** A call of an agent in a turn; `person`: whose own turn it is, null for any other turn (rule TE24). */
export type AgentUse = { kind: 'agent'; agentId: string; rules: readonly AccessRule[]; person: string | null };
/** A direct invocation. */
export type DirectUse = { kind: 'direct'; principalId: string };

export type ChoiceFault =
  'connection_not_granted' | 'connection_ambiguous' | 'connection_host_mismatch' | 'connection_needs_authorization';
export type Choice = { connection: ConnectionRecord } | { fault: ChoiceFault };

/**
 * The connection that a call is made with.
 *
 * Takes    the action, who uses the account, and the live connections of the action's provider.
 * Gives    the one that the agent's rule pins; else, with `act_as_user` and in a person's own turn, that person's own;
 *          else the team's. A direct invocation has the caller's own, or one that grants the caller. Of those that
 *          grant the use it must be the only one.
 * Source   rules TE21, TE23, TE24.
 */
export function chosenConnection(
  action: CalledAction,
  use: AgentUse | DirectUse,
  connections: readonly ConnectionRecord[],
): Choice {
  const fitting = candidates(action, use, connections);
  const [connection, second] = fitting.filter((each) => grants(each, action, use));
  if (!connection) return { fault: 'connection_not_granted' };
  if (second) return { fault: 'connection_ambiguous' };
  if (connection.status !== 'active') return { fault: 'connection_needs_authorization' };
  if (!liesOn(action.endpoint_url, connection.hosts)) return { fault: 'connection_host_mismatch' };
  return { connection };
}

/**
 * Whether a connection that is not known yet could change a choice: one that grants the use where none does, or a
 * person's own account, which goes before the team's.
 */
export function isUnsure(choice: Choice, action: CalledAction, use: AgentUse | DirectUse): boolean {
  if ('fault' in choice) return choice.fault === 'connection_not_granted';
  if (use.kind === 'direct' || use.person === null || choice.connection.owner.kind === 'person') return false;
  const rule = use.rules.find((each) => each.provider === action.provider);
  return rule?.act_as_user === true && rule.pin === undefined;
}

function candidates(
  { provider }: CalledAction,
  use: AgentUse | DirectUse,
  connections: readonly ConnectionRecord[],
): readonly ConnectionRecord[] {
  const ofProvider = connections.filter((each) => each.provider === provider);
  if (use.kind === 'direct') {
    const own = ofProvider.filter(({ owner }) => owner.id === use.principalId);
    return own.length > 0 ? own : ofProvider;
  }
  const rule = use.rules.find((each) => each.provider === provider);
  if (!rule) return [];
  if (rule.pin !== undefined)
    return ofProvider.filter(({ id, owner }) => id === rule.pin && (owner.kind === 'team' || owner.id === use.person));
  const own =
    rule.act_as_user === true && use.person !== null ? ofProvider.filter(({ owner }) => owner.id === use.person) : [];
  return own.length > 0 ? own : ofProvider.filter(({ owner }) => owner.kind === 'team');
}

function grants({ owner, grants: given }: ConnectionRecord, action: CalledAction, use: AgentUse | DirectUse): boolean {
  if (use.kind === 'direct' && owner.id === use.principalId) return true;
  const grantee = use.kind === 'agent' ? use.agentId : use.principalId;
  if (given.everyone) return true;
  if (!given.principal_ids.includes(grantee)) return false;
  return (
    owner.kind === 'team' ||
    given.actions.some(
      ({ principal_id: id, name, endpoint_url: url }) =>
        id === grantee && name === action.name && url === action.endpoint_url,
    )
  );
}

function liesOn(url: string | null, hosts: readonly string[]): boolean {
  return url !== null && URL.canParse(url) && hosts.includes(new URL(url).origin);
}
