import type { Reply, RequestBody } from '@aos/contract';
import { CallerCommand } from '@aos/platform';

export class ReceiveProviderEvent extends CallerCommand<
  RequestBody<'receiveProviderEvent'>,
  Reply<'receiveProviderEvent'>
> {}

export class ReceiveEmail extends CallerCommand<RequestBody<'receiveEmail'>, Reply<'receiveEmail'>> {}
