import { Injectable } from '@nestjs/common';
import { Blobs, Ids, hash32, idPart, notFound } from '@aos/kernel';
import { Decisions, type Actor } from '@aos/platform';
import { AgentDirectory, type AgentRecord } from '@aos/definitions/published';
import { emailDecider } from '../email.decider.js';
import type { Email, EmailAttachment } from '../email/email.events.js';
import {
  automaticMail,
  envelopeAddress,
  keptReferences,
  messageIdsIn,
  type MailHeaders,
} from '../email/mail-headers.js';

/** An attachment on its way in, with its bytes when they came with the mail. */
export type AttachmentPart = Omit<EmailAttachment, 'digest'> & { bytes?: Uint8Array };

/** A parsed mail, from any parser. */
export interface MailParts {
  message_id?: string;
  from: string;
  to: string[];
  cc?: string[];
  reply_to?: string;
  subject?: string;
  text?: string;
  html?: string;
  in_reply_to?: string;
  /** Of the header, as text. */
  references?: string;
  envelope_from?: string;
  headers?: MailHeaders;
  attachments?: AttachmentPart[];
}

export interface ReceivedMail {
  email_id: string;
  agent_ids: string[];
  deduped: boolean;
}

/** Addresses of one mail that are looked up. Ours. */
const addressesMax = 100;

/** Mail on its way in: finds the agents, keeps the mail once. */
@Injectable()
export class InboundMail {
  constructor(
    private readonly agents: AgentDirectory,
    private readonly decisions: Decisions,
    private readonly blobs: Blobs,
    private readonly ids: Ids,
  ) {}

  /** The live agent whose inbox an address is, with or without a name around it; null for any other. */
  async addressed(address: string): Promise<AgentRecord | null> {
    const spec = addressOf(address);
    return spec.includes('@') ? this.agents.addressed(spec) : null;
  }

  /**
   * Takes a mail for the agents of the act's organization among the addresses. A known message id is taken once; agents
   * that it has not reached before are reached now.
   *
   * Takes    `writer`: the word of a relay about its message ids is believed. Without a trusted relay, a message id
   *          that another mail has used keeps no mail away: only the same sender, subject and text make it the same
   *          (rule R15).
   * Refuses  not_found when no address is an inbox of the organization.
   */
  async receive(
    actor: Actor,
    parts: MailParts,
    addresses: readonly string[],
    receivedAt: string,
    writer: 'relay' | 'anybody',
  ): Promise<ReceivedMail> {
    const agentIds: string[] = [];
    for (const address of new Set(addresses.slice(0, addressesMax).map(addressOf))) {
      const agent = await this.addressed(address);
      if (agent && agent.org_id === actor.orgId) agentIds.push(agent.id);
    }
    if (agentIds.length === 0) throw notFound('inbox');
    const messageId = parts.message_id?.trim() ?? '';
    const same = writer === 'relay' ? `${actor.orgId}\n${messageId}` : sameMail(actor.orgId, messageId, parts);
    const id = `email_${messageId === '' ? this.ids.ulid().toLowerCase() : hash32(same)}`;
    const email = emailOf(id, actor.orgId, messageId === '' ? null : messageId, parts, receivedAt);
    email.attachments = await this.kept(actor.orgId, parts.attachments ?? []);
    const { events } = await this.decisions.decide(emailDecider.receiveEmail, idPart(id), actor, { email, agentIds });
    return { email_id: id, agent_ids: agentIds, deduped: events.length === 0 };
  }

  /** What came with bytes is a blob before the mail is in the log. */
  private async kept(orgId: string, attachments: readonly AttachmentPart[]): Promise<EmailAttachment[]> {
    const kept: EmailAttachment[] = [];
    for (const { name, mime_type, size_bytes, bytes } of attachments) {
      kept.push({
        name,
        mime_type,
        size_bytes,
        ...(bytes === undefined ? {} : { digest: await this.blobs.put(orgId, bytes) }),
      });
    }
    return kept;
  }
}

/** Key of a mail from an untrusted sender: two mails with the same key are the same mail. */
function sameMail(orgId: string, messageId: string, { from, subject, text, html }: MailParts): string {
  return JSON.stringify([orgId, messageId, from, subject ?? '', text ?? '', html ?? '']);
}

/** `Name <a@b>` or `a@b`, lower case. */
function addressOf(text: string): string {
  const start = text.lastIndexOf('<');
  const end = text.lastIndexOf('>');
  return (start >= 0 && end > start ? text.slice(start + 1, end) : text).trim().toLowerCase();
}

function emailOf(id: string, orgId: string, messageId: string | null, parts: MailParts, receivedAt: string): Email {
  const { from, to, cc, reply_to, subject, text, html, in_reply_to } = parts;
  const headers = parts.headers ?? new Map<string, string[]>();
  const references = keptReferences(messageIdsIn(parts.references ?? headers.get('references')?.join(' ') ?? ''));
  const envelopeFrom = parts.envelope_from === undefined ? null : envelopeAddress(parts.envelope_from);
  const automatic = automaticMail(headers, envelopeFrom);
  return {
    id,
    org_id: orgId,
    message_id: messageId,
    from,
    to,
    cc: cc ?? [],
    reply_to: reply_to ?? null,
    subject: subject ?? '',
    text: text ?? null,
    html: html ?? null,
    in_reply_to: in_reply_to ?? null,
    ...(references.length > 0 && { references }),
    ...(envelopeFrom !== null && { envelope_from: envelopeFrom }),
    ...(automatic !== null && { automatic }),
    attachments: [],
    received_at: receivedAt,
  };
}
