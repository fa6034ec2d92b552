import { Command } from '@nestjs/cqrs';
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

/** What a provider sends a browser back with. */
export interface CallbackQuery {
  state?: string | undefined;
  code?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
}

/** Of a browser without a key: its state says what it belongs to. Gives the address that it is led to. */
export class ReceiveCallback extends Command<string> {
  constructor(
    readonly query: CallbackQuery,
    readonly requestId: string,
  ) {
    super();
  }
}
