import { domainToASCII } from 'node:url';
import { firstCharacters, utf8Beginning } from '@aos/kernel';
import type { Email } from '@aos/events/published';
import { messageIdsIn } from '@aos/events/published';
import type { AnsweredMail, Channel, Sender } from '../exchange/exchange.events.js';
import { textBytesMax } from '../exchange/exchange.limits.js';

/** A mail as a message of an inbox. */
export interface MailMessage {
  /** Null: the mail has no one sender who could be answered. */
  sender: Sender | null;
  channel: Channel;
  text: string;
  mail: AnsweredMail;
}

const addressCharactersMax = 254;
const nameCharactersMax = 255;
const subjectCharactersMax = 500;

/**
 * Reads a mail as a message: the sender is its `From`, the thread the first of its `References` (rule TE16). Each
 * sender has sessions of their own, since the ids of a thread can be copied.
 *
 * Takes    the inbox that it reached.
 */
export function mailMessage(email: Email, inbox: string): MailMessage {
  const address = mailAddress(email.from);
  const messageId = oneId(email.message_id);
  const replied = oneId(email.in_reply_to);
  const references = email.references ?? (replied === null ? [] : [replied]);
  const subject = firstCharacters(email.subject.replace(/\s+/gu, ' ').trim(), subjectCharactersMax);
  const name = firstCharacters(nameIn(email.from), nameCharactersMax);
  return {
    sender: address === null ? null : { id: address, ...(name !== '' && { name }) },
    channel: { id: address ?? '', kind: 'dm', thread_id: references[0] ?? messageId ?? email.id },
    text: textOf(subject, email.text ?? ''),
    mail: { email_id: email.id, message_id: messageId, references: [...references], subject, inbox },
  };
}

/**
 * The one address of `Name <a@b>` or `a@b`, in lower case, that a mail can be sent to; null for any other text, also
 * for one that names several.
 */
export function mailAddress(text: string): string | null {
  const [, inBrackets] = /^[^<>]*<([^<>]*)>\s*$/u.exec(withoutQuoted(text)) ?? [];
  const [local = '', domain = '', ...more] = (inBrackets ?? text).trim().toLowerCase().split('@');
  const ascii = /^[^\s<>()[\]:;,"\\/?#%]+$/u.test(domain) ? domainToASCII(domain) : '';
  const isLocal = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]+$/.test(local);
  const address = `${local}@${ascii}`;
  return more.length === 0 && isLocal && ascii !== '' && address.length <= addressCharactersMax ? address : null;
}

/** A quote that does not close is text, and so is all that follows: no later one closes then. */
function withoutQuoted(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const opens = text.indexOf('"', from);
    const closes = opens < 0 ? -1 : closingQuote(text, opens);
    if (closes < 0) return [...kept, text.slice(from)].join('');
    kept.push(text.slice(from, opens));
    from = closes + 1;
  }
}

function closingQuote(text: string, opens: number): number {
  for (let at = opens + 1; at < text.length; at += 1) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at += 1;
  }
  return -1;
}

function nameIn(text: string): string {
  const start = text.lastIndexOf('<');
  return start <= 0
    ? ''
    : text
        .slice(0, start)
        .trim()
        .replace(/^"(.*)"$/u, '$1');
}

function oneId(text: string | null): string | null {
  const bare = text?.trim() ?? '';
  return messageIdsIn(bare)[0] ?? messageIdsIn(`<${bare}>`)[0] ?? null;
}

function textOf(subject: string, body: string): string {
  const whole = [...(subject === '' ? [] : [`Subject: ${subject}`]), body.trim()]
    .filter((part) => part !== '')
    .join('\n\n');
  if (Buffer.byteLength(whole) <= textBytesMax) return whole;
  return utf8Beginning(Buffer.from(whole), textBytesMax);
}
