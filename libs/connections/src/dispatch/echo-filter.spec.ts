import { EchoFilter } from './echo-filter.js';

const secret = 'p&ss "wörd"/+ 42!';
const filter = new EchoFilter([secret]);
const filtered = (text: string) => Buffer.from(filter.body(Buffer.from(text))).toString('utf8');

describe('the filter of what comes back (rule TE22)', () => {
  it.each([
    ['plain', secret],
    ['base64', Buffer.from(secret).toString('base64')],
    ['base64 for URLs', Buffer.from(secret).toString('base64url')],
    ['percent-encoded', encodeURIComponent(secret)],
    ['as a form', new URLSearchParams([['a', secret]]).toString().slice(2)],
    ['each byte', [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')],
    ['as a server reads a header, in Latin-1', Buffer.from(secret).toString('latin1')],
    ['the same in base64', Buffer.from(Buffer.from(secret).toString('latin1')).toString('base64')],
  ])('takes it out of text: %s', (_name, form) => {
    expect(filtered(`before ${form} after`)).toBe('before [redacted] after');
  });

  it('takes out one with half a character, which has no bytes, as it was sent', () => {
    const half = new EchoFilter(['p&ss wörd \ud800']);
    const text = (said: string) => Buffer.from(half.body(Buffer.from(said))).toString();
    expect(text(`a ${encodeURIComponent('p&ss wörd \ufffd')} b`)).toBe('a [redacted] b');
  });

  it('takes it out of each string of JSON, names too', () => {
    const escaped = [...secret].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    expect(filtered(`{"a": ["${escaped}"], "n": 1}`)).toBe('{"a":["[redacted]"],"n":1}');
    expect(filtered(JSON.stringify({ [secret]: { deep: `Key ${secret}` } }))).toBe(
      '{"[redacted]":{"deep":"Key [redacted]"}}',
    );
    expect(filtered(`{"line": 1}\n{"a": "${escaped}"}`)).toBe('{"line": 1}\n{"a":"[redacted]"}');
    expect(filter.value({ progress: { said: secret } })).toEqual({ progress: { said: '[redacted]' } });
  });

  it.each([
    ['nested over 64 levels', (text: string) => `${'['.repeat(100)}"${text}"${']'.repeat(100)}`],
    ['with a number beyond every double', (text: string) => `["${text}",1e400]`],
    ['with a member __proto__', (text: string) => `{"__proto__":"${text}"}`],
  ])('takes it out of JSON that is not taken: %s', (_, document) => {
    const escaped = [...secret].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    expect(filtered(document(escaped))).toContain('[redacted]');
    const harmless = document('x');
    expect(filtered(harmless)).toBe(harmless);
  });

  it('takes it out as an endpoint reads a header: without blanks around it, each byte a character', () => {
    const blank = ` ${secret}\t`;
    const bytes = Buffer.from(secret).toString('latin1');
    const of = (text: string) => Buffer.from(new EchoFilter([blank]).body(Buffer.from(text))).toString('utf8');
    for (const form of [secret, bytes, encodeURIComponent(bytes), Buffer.from(bytes).toString('base64')])
      expect(of(`before ${form} after`)).toBe('before [redacted] after');
    expect(of(JSON.stringify({ authorization: bytes }))).toBe('{"authorization":"[redacted]"}');
    expect(of('        ')).toBe('        ');
  });

  it('leaves what is too short for a secret: a stored one of a character with blanks around it, and a short token', () => {
    const of = (secret: string, text: string) =>
      Buffer.from(new EchoFilter([secret]).body(Buffer.from(text))).toString('utf8');
    const answer = '{"axe": "a x 120", "n": 120}';
    for (const short of ['    x    ', 'x', '120', '        ']) expect(of(short, answer)).toBe(answer);
    expect(of('    x    ', 'said     x    twice')).toBe('said [redacted]twice');
    expect(of('        ', ' '.repeat(20))).toBe(' '.repeat(20));
    expect(of('  12345678  ', 'n 12345678 1234567')).toBe('n [redacted] 1234567');
  });

  it('takes it out of JSON inside a string, and inside a text', () => {
    const inner = JSON.stringify({ said: secret });
    const ascii = inner.replace('ö', '\\u00f6');
    for (const form of [inner, ascii, inner.replace('/', '\\/')]) {
      expect(filtered(`bad: ${form}`)).toBe('bad: {"said":"[redacted]"}');
      expect(filtered(JSON.stringify({ text: form }))).toBe(JSON.stringify({ text: '{"said":"[redacted]"}' }));
    }
  });

  it('takes one of digits out of numbers too', () => {
    const digits = new EchoFilter(['1234567890']);
    const of = (text: string) => Buffer.from(digits.body(Buffer.from(text))).toString('utf8');
    expect(of('{"a": "1234567890", "b": 1234567890, "c": 7}')).toBe('{"a":"[redacted]","b":"[redacted]","c":7}');
    expect(of('{"b": 1234567890}')).toBe('{"b":"[redacted]"}');
    expect(digits.value({ progress: 1234567890 })).toEqual({ progress: '[redacted]' });
  });

  it('leaves all else as it came', () => {
    const body = Buffer.from('{"n": 12345678901234567890, "t": "a\\nb"}');
    expect(filter.body(body)).toBe(body);
  });
});
