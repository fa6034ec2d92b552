import type { Reply, RequestBody } from '@aos/contract';
import { CallerCommand } from '@aos/platform';

export class CreateConnection extends CallerCommand<RequestBody<'createConnection'>, Reply<'createConnection'>> {}

export class UpdateConnection extends CallerCommand<
  { connection_id: string; body: RequestBody<'updateConnection'> },
  Reply<'updateConnection'>
> {}

export class RotateConnection extends CallerCommand<
  { connection_id: string; body: { secret?: string; headers?: Record<string, string> } },
  Reply<'rotateConnection'>
> {}

export class GrantConnection extends CallerCommand<
  { connection_id: string; body: RequestBody<'replaceConnectionGrants'> },
  Reply<'replaceConnectionGrants'>
> {}

export class DeleteConnection extends CallerCommand<{ connection_id: string }, undefined> {}
