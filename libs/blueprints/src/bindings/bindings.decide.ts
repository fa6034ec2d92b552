import type { Identity } from '@aos/kernel';
import { canSee, resourceKinds, type AnyRecord } from '@aos/definitions/published';
import { bindingWire, type BindingWire } from './binding.wire.js';

const writeOrder: readonly string[] = resourceKinds.map(({ type }) => type);

/**
 * Bindings of what is within a caller's reach as the contract shows them: by blueprint, in write order of their types,
 * by key.
 */
export function bindingsWire(records: readonly AnyRecord[], who: Identity): BindingWire[] {
  const bindings = records.flatMap((record) =>
    record.binding && canSee(record, who) ? [bindingWire(record, record.binding)] : [],
  );
  return bindings.sort(
    (a, b) =>
      compared(a.namespace ?? '', b.namespace ?? '') ||
      compared(a.blueprint_key ?? '', b.blueprint_key ?? '') ||
      writeOrder.indexOf(a.resource_type) - writeOrder.indexOf(b.resource_type) ||
      compared(a.key, b.key),
  );
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
