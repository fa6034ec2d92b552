import fc from 'fast-check';
import type { ModelMessage } from '@aos/kernel';
import { textTokens, tokensPerMedia } from './token-estimate.js';
import { documentsFitted, fitted } from './window-fit.js';

const message = (text: string): ModelMessage => ({
  role: 'user',
  content: [{ type: 'text', text }],
  tokens: textTokens(text),
});
const result = (content: string): ModelMessage => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 't', content, is_error: false }],
  tokens: textTokens(content),
});
const total = (messages: readonly ModelMessage[]) => messages.reduce((sum, { tokens }) => sum + tokens, 0);
const textOf = ({ content: [block] }: ModelMessage) =>
  block?.type === 'text' ? block.text : block?.type === 'tool_result' ? block.content : '';

describe("rule S48: what does not fit the model's window", () => {
  it('is left alone up to the last token of the window', () => {
    const messages = [message('x'.repeat(400)), result('y'.repeat(400))];
    expect(fitted(messages, 200)).toBe(messages);
  });

  it('is cut in its middle with a marker; the shorter stays whole', () => {
    const [short, long] = fitted([message('short'), result(`begin${'x'.repeat(8000)}end`)], 1000) as [
      ModelMessage,
      ModelMessage,
    ];
    expect(textOf(short)).toBe('short');
    expect(textOf(long)).toMatch(
      /^beginx+\n\[\.\.\. \d+ bytes are left out here: they do not fit the model's window \.\.\.\]\nx+end$/,
    );
    expect(total([short, long])).toBeLessThanOrEqual(875);
    expect(total([short, long])).toBeGreaterThan(800);
  });

  it('fits for all sizes, on whole characters, and what is cut is no longer than the longest that is not', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 400, max: 4000 }),
        (sizes, window) => {
          const messages = sizes.map((size, index) => (index % 2 ? result : message)('€'.repeat(size)));
          const given = fitted(messages, window);
          if (given === messages) return total(messages) <= window;
          const cut = given.filter((one, index) => one !== messages[index]);
          const whole = given.filter((one, index) => one === messages[index]);
          const longest = Math.max(0, ...whole.map(({ tokens }) => tokens));
          return (
            total(given) <= window &&
            given.every((one) => !textOf(one).includes('\ufffd')) &&
            cut.every(({ tokens }) => tokens >= Math.min(longest, 32) - 1)
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("rule S48: documents whose text does not fit the model's window", () => {
  const documents = (...texts: string[]): ModelMessage => ({
    role: 'user',
    content: texts.map((text) => ({ type: 'document', media_type: 'text/plain', bytes: Buffer.from(text) })),
    tokens: texts.length * tokensPerMedia,
  });
  const textsOf = (messages: readonly ModelMessage[]) =>
    messages.flatMap(({ content }) =>
      content.map((block) => (block.type === 'document' ? Buffer.from(block.bytes).toString() : '')),
    );
  const tokensOf = (messages: readonly ModelMessage[]) =>
    textsOf(messages).reduce((sum, text) => sum + textTokens(text), 0);

  it('are left alone while all of it fits, and where they are no text', () => {
    const messages = [message('hello'), documents('x'.repeat(39_000))];
    expect(documentsFitted(messages, 10_000)).toBe(messages);
    const pdf: ModelMessage = {
      role: 'user',
      content: [{ type: 'document', media_type: 'application/pdf', bytes: Buffer.alloc(1_000_000) }],
      tokens: tokensPerMedia,
    };
    const whole = [pdf];
    expect(documentsFitted(whole, 10_000)).toBe(whole);
  });

  it('are cut in their middle, the longest first, on whole characters', () => {
    const messages = [
      message('hello'),
      documents('short', `begin${'€'.repeat(500_000)}end`),
      documents('y'.repeat(8000)),
    ];
    const given = documentsFitted(messages, 10_000);
    expect(given[0]).toBe(messages[0]);
    const [short, long = '', other] = textsOf(given.slice(1));
    expect([short, other]).toEqual(['short', 'y'.repeat(8000)]);
    expect(long).toMatch(
      /^begin€+\n\[\.\.\. \d+ bytes are left out here: they do not fit the model's window \.\.\.\]\n€+end$/,
    );
    expect(tokensOf(given)).toBeLessThanOrEqual(8750);
    expect(tokensOf(given)).toBeGreaterThan(5000);
  });

  it('count beside what else there is', () => {
    const given = documentsFitted([message('z'.repeat(20_000)), documents('x'.repeat(400_000))], 10_000);
    expect(tokensOf(given)).toBeLessThanOrEqual(8750 - 5000);
  });
});
