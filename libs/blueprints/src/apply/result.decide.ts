import type { Reply, Schema } from '@aos/contract';
import type { ApplyRequest, Step } from '../plan/plan.state.js';
import type { BindingWire } from '../bindings/binding.wire.js';

/** One change as the contract shows it; a preview leaves out the id of what does not exist yet (rules B4, B5). */
export function changeEntry(
  { resource, entry, action, id, fields }: Step,
  { preview }: { preview: boolean },
): Schema<'BlueprintChange'> {
  return {
    resource_type: resource.type,
    key: entry.key,
    action,
    name: entry.name,
    ...(preview && action === 'created' ? {} : { resource_id: id }),
    ...(action === 'updated' || action === 'adopted' ? { fields } : {}),
  };
}

/** The answer of preview and apply (rule B3). */
export function resultWire(
  status: 'applied' | 'previewed',
  { identity, version }: ApplyRequest,
  changes: readonly Schema<'BlueprintChange'>[],
  bindings: readonly BindingWire[],
): Reply<'applyBlueprint'> {
  const { namespace, blueprintKey } = identity;
  return {
    status,
    ...(namespace === null ? {} : { namespace }),
    ...(blueprintKey === null ? {} : { blueprint_key: blueprintKey }),
    ...(version === null ? {} : { blueprint_version: version }),
    changes: [...changes],
    bindings: [...bindings],
  };
}
