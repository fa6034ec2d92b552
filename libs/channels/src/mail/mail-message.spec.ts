import type { Email } from '@aos/events/published';
import { linearGrowthMax, timeGrowth } from '@aos/kernel/testing';
import { textBytesMax } from '../exchange/exchange.limits.js';
import { mailAddress, mailMessage } from './mail-message.js';

const email: Email = {
  id: 'email_1',
  org_id: 'org_1',
  message_id: '<3@example.org>',
  from: 'Ann <Ann@Example.org>',
  to: ['agent_1@inbox.localhost'],
  cc: [],
  reply_to: 'eve@example.net',
  subject: 'Bill',
  text: 'Is it paid?\r\n',
  html: null,
  in_reply_to: '<2@example.org>',
  references: ['<1@example.org>', '<2@example.org>'],
  attachments: [],
  received_at: '2026-01-01T00:00:00.000Z',
};
const inbox = 'agent_1@inbox.localhost';
const read = (changes: Partial<Email> = {}) => mailMessage({ ...email, ...changes }, inbox);
const { references: _references, ...alone } = email;

describe('TE16: a mail as a message', () => {
  it('is from its From, in the thread that its references begin', () => {
    expect(read()).toEqual({
      sender: { id: 'ann@example.org', name: 'Ann' },
      channel: { id: 'ann@example.org', kind: 'dm', thread_id: '<1@example.org>' },
      text: 'Subject: Bill\n\nIs it paid?',
      mail: {
        email_id: 'email_1',
        message_id: '<3@example.org>',
        references: ['<1@example.org>', '<2@example.org>'],
        subject: 'Bill',
        inbox,
      },
    });
  });

  it.each<[string, Partial<Email>]>([
    ['<2@example.org>', {}],
    ['<3@example.org>', { in_reply_to: null }],
    ['<3@example.org>', { in_reply_to: null, message_id: '3@example.org' }],
    ['email_1', { in_reply_to: null, message_id: null }],
    ['email_1', { in_reply_to: null, message_id: 'a\r\nBcc: eve@example.net' }],
  ])('without references belongs to %s', (thread, changes) => {
    expect(mailMessage({ ...alone, ...changes }, inbox).channel.thread_id).toBe(thread);
  });

  it.each<[string | null, string]>([
    ['a.b+c@example.org', 'a.b+c@EXAMPLE.org'],
    ['b@example.org', '"a@example.net" <b@example.org>'],
    ['b@example.org', '"<a@example.net>, x" <b@example.org> '],
    ['b@xn--mnchen-3ya.example', 'b@münchen.example'],
    ['b@example.org', '"\\"a\\\\" <b@example.org>'],
    ['b@example.org', '"a" " <b@example.org>'],
    [null, 'a@example.net, b@example.org'],
    [null, 'a <a@example.net>, b <b@example.org>'],
    [null, 'a <a@example.net> b'],
    [null, 'nobody'],
    [null, ''],
    [null, '<>'],
    [null, 'a@b@example.org'],
    [null, 'a@example.org\r\nBcc: eve@example.net'],
    [null, 'a@[127.0.0.1]'],
    [null, 'ünï@example.org'],
    [null, `${'a'.repeat(250)}@example.org`],
  ])('%j is the address of %j', (address, text) => {
    expect(mailAddress(text)).toBe(address);
  });

  it.each([
    ['quotes that do not close', '\\"', '', 5_000],
    ['a long quote', 'a', '"', 250_000],
  ])('is read from %s in time of the length', async (_what, repeated, end, shorter) => {
    const growth = await timeGrowth(shorter, (size) => {
      const long = `"${repeated.repeat(size)}${end} <b@example.org>`;
      return () => expect(mailAddress(long)).toBe('b@example.org');
    });
    expect(growth).toBeLessThan(linearGrowthMax);
  });

  it('has no sender, when nobody could be answered', () => {
    expect(read({ from: 'a@example.net, b@example.org' }).sender).toBeNull();
  });

  it('has a text of 32 KiB at most, and no half character', () => {
    const { text } = read({ text: 'ü'.repeat(textBytesMax) });
    expect(Buffer.byteLength(text)).toBeGreaterThan(textBytesMax - 4);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(textBytesMax);
    expect(text.endsWith('ü')).toBe(true);
    expect(read({ subject: '', text: null }).text).toBe('');
  });
});
