import fc from 'fast-check';
import type { ModelMessage } from '@aos/kernel';
import { textTokens } from './token-estimate.js';
import { fitted } from './window-fit.js';

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
