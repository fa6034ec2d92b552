import type { Reply, RequestBody, Schema } from '@aos/contract';
import { CallerCommand } from '@aos/platform';

/** Changes who owns a resource and who reaches it. */
export class ChangeOwnership extends CallerCommand<
  { resource_type: string; resource_id: string; body: RequestBody<'updateResourceOwnership'> },
  Reply<'updateResourceOwnership'>
> {}

export type OwnershipState = Schema<'ResourceOwnershipState'>;
