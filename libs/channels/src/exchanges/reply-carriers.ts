import { Injectable } from '@nestjs/common';
import { Clock, Egress, EgressFailure, type MailAnswer } from '@aos/kernel';
import { SealBroken, webhookHeaders } from '@aos/platform';
import { MessagingAccounts } from '../binding/messaging-accounts.js';
import { connectionKindOf } from '../binding/binding.state.js';
import type { ExchangeRecord } from '../exchange/exchange.events.js';
import { replyResponseBytesMax, replyTimeoutMs } from '../exchange/exchange.limits.js';
import { MailCarrier } from './mail-carrier.js';

export interface ReplyTry {
  statusCode: number | null;
  /** Class of the failure; null when it was taken. */
  error: string | null;
}

/** Carries one try of a reply to the account's connection, which is looked at anew each time. */
@Injectable()
export class ReplyCarriers {
  constructor(
    private readonly accounts: MessagingAccounts,
    private readonly egress: Egress,
    private readonly clock: Clock,
    private readonly mail: MailCarrier,
  ) {}

  /** Never throws for what the receiver does, or for a connection that is not there. */
  async send(exchange: ExchangeRecord, text: string, signal: AbortSignal): Promise<ReplyTry> {
    const { org_id: orgId, integration_id: connectionId, agent_id: agentId } = exchange;
    const account = await this.accounts.find(orgId, connectionId);
    if (!account || agentId === null || !account.grants(agentId))
      return { statusCode: null, error: 'connection_not_granted' };
    if (account.kind !== connectionKindOf(exchange.provider)) return { statusCode: null, error: 'connection_kind' };
    try {
      const secret = await this.accounts.secret(orgId, connectionId);
      if (secret === null) return { statusCode: null, error: 'secret_unreadable' };
      if (account.kind === 'smtp') return mailed(await this.mail.send(exchange, account, { secret, text, signal }));
      if (account.url === null) return { statusCode: null, error: 'connection_kind' };
      return await this.post(exchange, { url: account.url, secret, text }, signal);
    } catch (error) {
      if (error instanceof EgressFailure) return { statusCode: null, error: error.reason };
      if (error instanceof SealBroken) return { statusCode: null, error: 'secret_unreadable' };
      throw error;
    }
  }

  /** The same bytes under the same id on every try (rule TE15). */
  private async post(
    { id, org_id: orgId, channel, message_id }: ExchangeRecord,
    { url, secret, text }: { url: string; secret: string; text: string },
    signal: AbortSignal,
  ): Promise<ReplyTry> {
    const body = Buffer.from(JSON.stringify({ exchange_id: id, channel, in_reply_to: message_id, text }), 'utf8');
    const timestamp = Math.floor(this.clock.now() / 1000);
    const { status } = await this.egress.send({
      url,
      orgId,
      method: 'POST',
      headers: webhookHeaders({ secrets: [secret], id, timestamp, body }),
      body,
      timeoutMs: replyTimeoutMs,
      responseBytesMax: replyResponseBytesMax,
      signal,
    });
    return { statusCode: status, error: status >= 200 && status < 300 ? null : 'http_status' };
  }
}

function mailed(answer: MailAnswer | null): ReplyTry {
  if (answer === null) return { statusCode: null, error: 'connection_kind' };
  return { statusCode: answer.status, error: answer.refused === null ? null : `${answer.refused}_refused` };
}
