import MailComposer from 'nodemailer/lib/mail-composer';
import type { AnsweredMail } from '../exchange/exchange.events.js';

export interface ReplyMail {
  exchangeId: string;
  mail: AnsweredMail;
  to: string;
  text: string;
  at: Date;
}

/**
 * The answer to a mail, as plain text, under one `Message-ID` on every try (rule TE16). `Auto-Submitted` keeps programs
 * from answering it.
 */
export function replyMail({ exchangeId, mail, to, text, at }: ReplyMail): Promise<Buffer> {
  const { inbox, message_id: messageId, references, subject } = mail;
  const thread = messageId === null ? references : [...references.filter((id) => id !== messageId), messageId];
  return new MailComposer({
    from: inbox,
    to,
    subject: /^re:/iu.test(subject) ? subject : `Re: ${subject}`.trim(),
    text,
    date: at,
    messageId: `<${exchangeId}@${inbox.slice(inbox.lastIndexOf('@') + 1)}>`,
    ...(messageId !== null && { inReplyTo: messageId }),
    ...(thread.length > 0 && { references: thread }),
    headers: { 'Auto-Submitted': 'auto-replied' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}
