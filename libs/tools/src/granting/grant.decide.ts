import type { Identity } from '@aos/kernel';
import { canSee, type AgentRecord, type CatalogAction } from '@aos/definitions/published';

/** Whether an agent may use an action that a selector names: built-in ones always; custom ones in its own reach or of its owner. */
export function withinReach(action: CatalogAction, agent: AgentRecord, who: Identity): boolean {
  const { owner, visibility = 'organization' } = action;
  if (!owner) return true;
  if (owner.kind === 'person' && agent.owner.kind === 'person' && owner.id === agent.owner.id) return true;
  return canSee({ id: action.id ?? '', org_id: who.orgId, owner, visibility, members: [] }, who);
}
