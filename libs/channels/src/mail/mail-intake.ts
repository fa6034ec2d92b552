import { Inject, Injectable } from '@nestjs/common';
import { looksLikeId, rfc3339 } from '@aos/kernel';
import { Decisions, Settings } from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import type { Email } from '@aos/events/published';
import { BindingDirectory } from '../binding/binding-directory.js';
import type { BindingRecord } from '../binding/binding.events.js';
import type { ExchangeRecord } from '../exchange/exchange.events.js';
import { exchangeId } from '../exchange/exchange.state.js';
import { ExchangeIntake, actingFor } from '../exchanges/exchange-intake.js';
import { mailpaceDecider } from '../mailpace.decider.js';
import type { PacedMail } from '../mailpace/mailpace.events.js';
import { hourMs } from '../mailpace/mailpace.limits.js';
import { mailpaceId, mailpaceKind } from '../mailpace/mailpace.state.js';
import { mailAddress, mailMessage } from './mail-message.js';
import { whyNotPaced } from './pace.decide.js';

/** Takes mail that reached an inbox as messages of the inbox' binding; every step may be repeated (rule TE16). */
@Injectable()
export class MailIntake {
  constructor(
    private readonly bindings: BindingDirectory,
    private readonly agents: AgentDirectory,
    private readonly decisions: Decisions,
    private readonly intake: ExchangeIntake,
    @Inject(Settings) private readonly settings: Pick<Settings, 'inboxDomain'>,
  ) {}

  /** The binding that answers a mail which came then; null: mail to this inbox is none of a conversation. */
  async bindingAt(orgId: string, agentId: string, atMs: number): Promise<BindingRecord | null> {
    const binding = await this.bindings.of(orgId, { provider: 'email', integration_id: '', agent_id: agentId });
    return binding?.agent_id === agentId && Date.parse(binding.created_at) <= atMs ? binding : null;
  }

  /** Takes one mail, once. Nothing for an agent without an inbox. */
  async take(email: Email, binding: BindingRecord, atMs: number): Promise<void> {
    const { org_id: orgId, agent_id: agentId } = binding;
    const inbox = (await this.agents.agent(orgId, agentId))?.wire.email_address;
    if (inbox === undefined) return;
    const { sender, channel, text, mail } = mailMessage(email, inbox);
    const exchange: ExchangeRecord = {
      id: exchangeId(orgId, binding.id, email.id),
      org_id: orgId,
      provider: 'email',
      integration_id: binding.integration_id,
      message_id: mail.message_id ?? email.id,
      channel,
      sender: sender ?? { id: '' },
      text,
      mail,
      agent_id: agentId,
      binding_id: binding.id,
      arrived_at: rfc3339(atMs),
    };
    const heard = { channel, sender: exchange.sender, isBot: false, mentionsAgent: false };
    await this.intake.take(actingFor(exchange), exchange, binding, heard, async () =>
      sender === null ? 'sender_unusable' : await this.whyIgnored(email, exchange, atMs),
    );
  }

  private async whyIgnored(email: Email, exchange: ExchangeRecord, atMs: number): Promise<string | null> {
    if (email.automatic !== undefined) return email.automatic;
    const envelopeFrom = mailAddress(email.envelope_from ?? '');
    if ((await this.isInbox(exchange.sender.id)) || (envelopeFrom !== null && (await this.isInbox(envelopeFrom))))
      return 'from_inbox';
    return this.pace(exchange, atMs);
  }

  /** An inbox of an agent of any organization, also of one that is gone. */
  private async isInbox(address: string): Promise<boolean> {
    const [local = '', domain = ''] = address.split('@');
    if (looksLikeId('agent', local) && domain === this.settings.inboxDomain.toLowerCase()) return true;
    return (await this.agents.addressed(address)) !== null;
  }

  private async pace(exchange: ExchangeRecord, atMs: number): Promise<string | null> {
    const bindingId = exchange.binding_id ?? '';
    const mail: PacedMail = { exchange_id: exchange.id, sender: exchange.sender.id, at: exchange.arrived_at };
    const before = (await this.decisions.load(mailpaceKind, mailpaceId(bindingId, atMs - hourMs))).state.mails;
    const id = mailpaceId(bindingId, atMs);
    const { state } = await this.decisions.decide(mailpaceDecider.paceMail, id, actingFor(exchange), { mail, before });
    return whyNotPaced(mail, before, state);
  }
}
