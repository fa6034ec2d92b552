import type { Reply, Schema } from '@aos/contract';
import { shownValuesMax } from '../blueprint/blueprint.limits.js';
import type { ApplyRequest, Difference, Step } from '../plan/plan.state.js';
import type { BindingWire } from '../bindings/binding.wire.js';

type Change = Schema<'BlueprintChange'>;

/** One change with its values; a preview leaves out the id of what does not exist yet (rules B4, B5, B32). */
export function changeEntry(
  { resource, entry, action, id, differences }: Step,
  { preview }: { preview: boolean },
): Change {
  const isCompared = action === 'updated' || action === 'adopted';
  return {
    resource_type: resource.type,
    key: entry.key,
    action,
    name: entry.name,
    ...(preview && action === 'created' ? {} : { resource_id: id }),
    ...(isCompared ? { fields: differences.map(({ field }) => field), values: differences.map(valueWire) } : {}),
  };
}

function valueWire({ field, before, after }: Difference): Schema<'BlueprintFieldChange'> {
  return { field, ...(before === null ? {} : { before }), ...(after === null ? {} : { after }) };
}

/** The changes with as many of their values as one answer holds, or with none (rule B32). */
function shownChanges(changes: readonly Change[], includesValues: boolean): Change[] {
  let left = shownValuesMax;
  const fits = (value: Schema<'BlueprintFieldChange'>): boolean => {
    const size = JSON.stringify(value).length;
    if (size > left) return false;
    left -= size;
    return true;
  };
  return changes.map(({ values, ...change }) =>
    values !== undefined && includesValues ? { ...change, values: values.filter(fits) } : change,
  );
}

/** The answer of preview and apply (rule B3). */
export function resultWire(
  status: 'applied' | 'previewed',
  { identity, version }: ApplyRequest,
  changes: readonly Change[],
  bindings: readonly BindingWire[],
  includesValues: boolean,
): Reply<'applyBlueprint'> {
  const { namespace, blueprintKey } = identity;
  return {
    status,
    ...(namespace === null ? {} : { namespace }),
    ...(blueprintKey === null ? {} : { blueprint_key: blueprintKey }),
    ...(version === null ? {} : { blueprint_version: version }),
    changes: shownChanges(changes, includesValues),
    bindings: [...bindings],
  };
}
