import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, Refusal, notFound, requireWholeCharacters, rfc3339, withoutNulls } from '@aos/kernel';
import { ReleaseWrites } from '@aos/platform';
import { BindingDirectory } from '../binding/binding-directory.js';
import { MessagingAccounts } from '../binding/messaging-accounts.js';
import { textBytesMax } from '../exchange/exchange.limits.js';
import { exchangeId } from '../exchange/exchange.state.js';
import { ExchangeIntake } from './exchange-intake.js';
import { ReceiveMessage } from './messages.commands.js';

/**
 * Takes a message of an account, once per connection and id.
 *
 * Refuses  not_found for a connection that is none of the team's or does not grant the caller; payload_too_large
 *          {limit_bytes} for a text over 32 KiB; invalid_argument {reason: half_character} for an id of the message,
 *          its channel or thread that is no Unicode text (ADR 62).
 * Source   rule TE13.
 */
@CommandHandler(ReceiveMessage)
export class ReceiveMessageHandler implements ICommandHandler<ReceiveMessage> {
  constructor(
    private readonly accounts: MessagingAccounts,
    private readonly bindings: BindingDirectory,
    private readonly intake: ExchangeIntake,
    private readonly writes: ReleaseWrites,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: body }: ReceiveMessage): Promise<Reply<'receiveMessage'>> {
    if (Buffer.byteLength(body.text) > textBytesMax)
      throw new Refusal('payload_too_large', { limit_bytes: textBytesMax }, 'the text is too large');
    const { id, provider, integration_id, channel, sender, text } = body;
    requireWholeCharacters('id', id);
    requireWholeCharacters('channel.id', channel.id);
    if (channel.thread_id !== undefined) requireWholeCharacters('channel.thread_id', channel.thread_id);
    const account = await this.accounts.find(who.orgId, integration_id);
    if (account?.kind !== 'channel_webhook' || !account.grants(who.principalId)) throw notFound('connection');
    this.writes.requireFeature('messaging');
    const binding = await this.bindings.of(who.orgId, { provider, integration_id, agent_id: '' });
    const exchange = {
      id: exchangeId(who.orgId, integration_id, id),
      org_id: who.orgId,
      provider,
      integration_id,
      message_id: id,
      channel,
      sender: { id: sender.id, ...(sender.name !== undefined && { name: sender.name }) },
      text,
      agent_id: binding?.agent_id ?? null,
      binding_id: binding?.id ?? null,
      arrived_at: rfc3339(this.clock.now()),
    };
    const heard = {
      channel,
      sender: exchange.sender,
      isBot: sender.is_bot === true,
      mentionsAgent: body.mentions_agent === true,
    };
    const { state, turnId, deduped } = await this.intake.take(who, exchange, binding, heard);
    return {
      exchange_id: exchange.id,
      status: state.status === 'ignored' ? 'ignored' : 'accepted',
      ...withoutNulls({ reason: state.reason, turn_id: turnId ?? state.turnId }),
      deduped,
    };
  }
}
