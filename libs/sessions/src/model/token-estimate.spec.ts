import { messageOf } from './model-window.js';
import { textTokens } from './token-estimate.js';
import type { Row } from '../session/session.events.js';

describe('the token estimate (rule S18)', () => {
  it('is the UTF-8 bytes of a text by four, rounded up', () => {
    expect(['', 'a', 'abcd', 'abcde', 'é€', '😀a'].map(textTokens)).toEqual([0, 1, 1, 2, 2, 2]);
  });

  it('rounds the text blocks of a message up once, and adds 1000 for each media block', () => {
    const media = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
    const text = { type: 'text', text: 'abc' };
    const row = { role: 'user', content: [text, media, text, media] } as Partial<Row> as Row;
    expect(messageOf(row, 1).tokens).toBe(2002);
  });
});
