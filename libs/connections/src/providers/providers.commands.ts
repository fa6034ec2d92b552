import type { Reply, RequestBody } from '@aos/contract';
import { CallerCommand } from '@aos/platform';

export class SaveProvider extends CallerCommand<
  { provider: string; body: RequestBody<'saveProvider'> },
  Reply<'saveProvider'>
> {}

export class DeleteProvider extends CallerCommand<{ provider: string }, undefined> {}
