import { Injectable } from '@nestjs/common';
import { Clock, Egress, type MailAnswer } from '@aos/kernel';
import type { MessagingAccount } from '../binding/messaging-accounts.js';
import type { ExchangeRecord } from '../exchange/exchange.events.js';
import { mailTimeoutMs } from '../exchange/exchange.limits.js';
import { replyMail } from './reply-mail.js';

/** Carries one try of an answer by mail to the server of its account. */
@Injectable()
export class MailCarrier {
  constructor(
    private readonly egress: Egress,
    private readonly clock: Clock,
  ) {}

  /** Sends it from the inbox to the sender alone. Throws `EgressFailure`; null: the account has no server. */
  async send(
    { id, org_id: orgId, mail, sender }: ExchangeRecord,
    { host, username }: Pick<MessagingAccount, 'host' | 'username'>,
    { secret, text, signal }: { secret: string; text: string; signal: AbortSignal },
  ): Promise<MailAnswer | null> {
    const [, name = '', port = ''] = /^(.+):(\d+)$/.exec(host ?? '') ?? [];
    if (!mail || name === '' || username === null) return null;
    const at = new Date(this.clock.now());
    return this.egress.sendMail({
      host: name,
      port: Number(port),
      orgId,
      username,
      secret,
      from: mail.inbox,
      to: sender.id,
      message: await replyMail({ exchangeId: id, mail, to: sender.id, text, at }),
      timeoutMs: mailTimeoutMs,
      signal,
    });
  }
}
