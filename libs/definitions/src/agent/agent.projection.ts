import type { Schema } from '@aos/contract';
import { collection, type Identity } from '@aos/kernel';
import { agentKind, type AgentRecord } from './agent.state.js';
import { definitionProjection } from '../definition/definition.projection.js';
import { postureFor } from '../definition/custody.decide.js';

/** An agent as the contract shows it to this caller; fields that are not set are left out. */
export function agentWire(record: AgentRecord, who: Pick<Identity, 'principalId'>): Schema<'Agent'> {
  const fields = record.wire;
  const wire: Schema<'Agent'> = {
    id: record.id,
    principal_id: record.id,
    ...fields,
    owner: { ...record.owner },
    posture: postureFor(record, who),
    visibility: record.visibility,
    created_by: record.created_by,
    updated_by: record.updated_by,
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
  // the reference client's name for it (rule R2)
  wire.tool_selectors = fields.action_selectors.map((selector) => ({ ...selector }));
  if (record.visibility === 'restricted' || record.members.length > 0) wire.member_count = record.members.length;
  return wire;
}

export const agentsProjection = definitionProjection('agents', 1, agentKind, ({ wire }) => ({
  status: wire.status,
  skill: wire.skill_ids,
  ...(wire.external_ref === undefined ? {} : { external_ref: wire.external_ref }),
}));

export const agentRecords = collection<AgentRecord>(agentsProjection);
