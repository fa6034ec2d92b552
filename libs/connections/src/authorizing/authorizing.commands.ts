import type { Reply, RequestBody } from '@aos/contract';
import { CallerCommand } from '@aos/platform';

export class AuthorizeConnection extends CallerCommand<
  { connection_id: string; body: RequestBody<'authorizeConnection'> },
  Reply<'authorizeConnection'>
> {}

export class CompleteAuthorization extends CallerCommand<
  { connection_id: string; body: RequestBody<'completeConnectionAuthorization'> },
  Reply<'completeConnectionAuthorization'>
> {}
