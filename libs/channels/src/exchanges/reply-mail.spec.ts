import PostalMime from 'postal-mime';
import { replyMail, type ReplyMail } from './reply-mail.js';

const reply: ReplyMail = {
  exchangeId: 'exch_1',
  mail: {
    email_id: 'email_1',
    message_id: '<3@example.org>',
    references: ['<1@example.org>', '<2@example.org>'],
    subject: 'Grüße',
    inbox: 'agent_1@inbox.example',
  },
  to: 'ann@example.org',
  text: 'Ja, ist bezahlt.\n.\nBis dann',
  at: new Date('2026-01-01T00:00:00.000Z'),
};
const read = async (changes: Partial<ReplyMail> = {}) => {
  const { headers, text, html, attachments, ...mail } = await PostalMime.parse(
    await replyMail({ ...reply, ...changes }),
  );
  const named = (key: string) => headers.filter((header) => header.key === key).map(({ value }) => value);
  return { ...mail, text: text?.trimEnd(), html, attachments, named };
};

describe('TE16: the answer to a mail', () => {
  it('is plain text from the inbox to the sender alone, in the thread, by a program', async () => {
    const mail = await read();
    expect(mail).toMatchObject({
      from: { address: 'agent_1@inbox.example' },
      to: [{ address: 'ann@example.org' }],
      subject: 'Re: Grüße',
      messageId: '<exch_1@inbox.example>',
      inReplyTo: '<3@example.org>',
      references: '<1@example.org> <2@example.org> <3@example.org>',
      date: '2026-01-01T00:00:00.000Z',
      text: 'Ja, ist bezahlt.\n.\nBis dann',
      attachments: [],
    });
    expect(mail.html).toBeUndefined();
    expect(mail.cc).toBeUndefined();
    expect(mail.named('auto-submitted')).toEqual(['auto-replied']);
    expect(mail.named('message-id')).toHaveLength(1);
  });

  it('has the same id on every try, and the same bytes at the same time', async () => {
    expect(await replyMail(reply)).toEqual(await replyMail({ ...reply }));
    expect((await read({ at: new Date(1) })).messageId).toBe('<exch_1@inbox.example>');
  });

  it('does not repeat Re:, and names no thread that it does not know', async () => {
    const mail = { ...reply.mail, subject: 'RE: Bill', message_id: null, references: [] };
    const read1 = await read({ mail });
    expect([read1.subject, read1.inReplyTo, read1.references]).toEqual(['RE: Bill', undefined, undefined]);
  });

  it('a subject cannot add a header', async () => {
    const { subject, bcc } = await read({ mail: { ...reply.mail, subject: 'x\r\nBcc: eve@example.net' } });
    expect(bcc).toBeUndefined();
    expect(subject).toContain('Bcc: eve@example.net');
  });
});
