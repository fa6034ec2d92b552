import type { DefinitionType } from '@aos/definitions/published';
import { actionResource } from './action-resource.js';
import { agentResource } from './agent-resource.js';
import type { ResourceKind } from './resource-kind.state.js';
import { skillResource } from './skill-resource.js';
import { tableResource } from './table-resource.js';

/** All types in write order; deletes go the other way (rule B6). */
export const resourceKinds: readonly ResourceKind[] = [tableResource, actionResource, skillResource, agentResource];

export function resourceKindOf(type: DefinitionType): ResourceKind {
  const found = resourceKinds.find((resource) => resource.type === type);
  if (!found) throw new Error(`blueprints know no ${type}`);
  return found;
}
