import type { DefinitionType } from '../definition/definition.events.js';
import { actionResource } from './action-resource.js';
import { agentResource } from './agent-resource.js';
import type { AnyKind } from './resource-kind.js';
import { skillResource } from './skill-resource.js';
import { tableResource } from './table-resource.js';

/** All kinds in the order in which blueprints write them; they delete the other way (rule B6). */
export const resourceKinds: readonly AnyKind[] = [tableResource, actionResource, skillResource, agentResource];

export function resourceKindOf(type: DefinitionType): AnyKind {
  const found = resourceKinds.find((resource) => resource.type === type);
  if (!found) throw new Error(`no kind of resource is a ${type}`);
  return found;
}
