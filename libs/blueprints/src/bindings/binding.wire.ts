import type { Schema } from '@aos/contract';
import type { AnyRecord, Binding } from '@aos/definitions/published';

export type BindingWire = Schema<'BlueprintBinding'>;

/** A binding as the contract shows it. */
export function bindingWire({ id, type, protected: isProtected }: AnyRecord, binding: Binding): BindingWire {
  const {
    namespace,
    blueprint_key: blueprintKey,
    blueprint_version: version,
    key,
    delete_on_destroy: deleteOnDestroy,
  } = binding;
  return {
    resource_type: type,
    key,
    resource_id: id,
    protected: isProtected,
    delete_on_destroy: deleteOnDestroy,
    ...(namespace === null ? {} : { namespace }),
    ...(blueprintKey === null ? {} : { blueprint_key: blueprintKey }),
    ...(version === null ? {} : { blueprint_version: version }),
  };
}
