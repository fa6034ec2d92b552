import type { Reply, RequestBody } from '@aos/contract';
import { CallerCommand } from '@aos/platform';

export class ReceiveMessage extends CallerCommand<RequestBody<'receiveMessage'>, Reply<'receiveMessage'>> {}
