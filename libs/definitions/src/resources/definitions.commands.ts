import { CallerCommand } from '@aos/platform';
import type { ResourceKind, ResourceTypes } from './resource-kind.js';

export class CreateDefinition<T extends ResourceTypes = ResourceTypes> extends CallerCommand<
  { resource: ResourceKind<T>; body: T['created'] },
  T['wire']
> {}

/** `ref`: the id, or the name where callers know the kind by name. */
export class ChangeDefinition<T extends ResourceTypes = ResourceTypes> extends CallerCommand<
  { resource: ResourceKind<T>; ref: string; body: T['changed'] },
  T['wire']
> {}

export class DeleteDefinition<T extends ResourceTypes = ResourceTypes> extends CallerCommand<
  { resource: ResourceKind<T>; ref: string },
  void
> {}
