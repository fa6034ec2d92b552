import type { ModelBlock, ModelMessage } from '@aos/kernel';
import { bytesPerToken, textTokens, tokensOfBytes, tokensPerMedia } from './token-estimate.js';

/**
 * Share of the model's window that a request is cut to when it was too large: the answer and the tools need the rest.
 */
const filledShare = 7 / 8;
/** A text is never cut to less than its marker and a few words. */
const textTokensMin = 32;

/**
 * Messages that a model can take: of texts and results that do not fit its window their beginning and their end, with a
 * marker between. The longest are cut first, and none further than it must be.
 *
 * Takes    the tokens that the messages may have. Media counts, and is not cut here.
 * Gives    the same list when it fits.
 * Source   rule S48: what does not fit the window, not the threshold; the transcript stays as it is.
 */
export function fitted(messages: readonly ModelMessage[], windowTokens: number): readonly ModelMessage[] {
  const total = messages.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total <= windowTokens) return messages;
  const sizes = messages.flatMap(({ content }) => content.map(cuttableTokens)).sort((a, b) => a - b);
  const cap = capFor(sizes, total - Math.floor(windowTokens * filledShare));
  return messages.map((message) => cutTo(cap, message));
}

type TextDocument = Extract<ModelBlock, { type: 'document' }>;

/**
 * Messages whose documents a model can take. A document counts as any media block, however long its text is (rule S18):
 * where the texts do not fit, the longest are cut, each in its middle with a marker.
 *
 * Takes    the messages with their media, and the tokens that they may have.
 * Gives    the same list when all of it fits. A document that is no text stays as it is.
 * Source   rule S48.
 */
export function documentsFitted(messages: readonly ModelMessage[], windowTokens: number): readonly ModelMessage[] {
  const sizes = messages.flatMap(({ content }) => content.filter(isTextDocument).map(documentTokens));
  const beyond = sizes.reduce((sum, tokens) => sum + Math.max(0, tokens - tokensPerMedia), 0);
  const total = messages.reduce((sum, { tokens }) => sum + tokens, beyond);
  if (beyond === 0 || total <= windowTokens) return messages;
  const cap = capFor(
    sizes.sort((a, b) => a - b),
    total - Math.floor(windowTokens * filledShare),
  );
  return messages.map((message) =>
    message.content.some((block) => isTextDocument(block) && documentTokens(block) > cap)
      ? { ...message, content: message.content.map((block) => cutDocument(block, cap)) }
      : message,
  );
}

function cutDocument(block: ModelBlock, cap: number): ModelBlock {
  if (!isTextDocument(block) || documentTokens(block) <= cap) return block;
  return { ...block, bytes: Buffer.from(cutBytes(Buffer.from(block.bytes), cap)) };
}

function isTextDocument(block: ModelBlock): block is TextDocument {
  return block.type === 'document' && block.media_type.startsWith('text/');
}

function documentTokens({ bytes }: TextDocument): number {
  return tokensOfBytes(bytes.length);
}

/** The size that texts may have so that they lose so many tokens together. Takes the sizes ascending. */
function capFor(sizes: readonly number[], excess: number): number {
  let above = 0;
  for (let index = sizes.length - 1; index >= 0; index -= 1) {
    above += sizes[index] ?? 0;
    const cap = Math.floor((above - excess) / (sizes.length - index));
    if (cap >= (sizes[index - 1] ?? 0)) return Math.max(cap, textTokensMin);
  }
  return textTokensMin;
}

function cutTo(cap: number, message: ModelMessage): ModelMessage {
  if (message.content.every((block) => cuttableTokens(block) <= cap)) return message;
  let { tokens } = message;
  const content = message.content.map((block): ModelBlock => {
    if (cuttableTokens(block) <= cap) return block;
    const cut = cutBlock(block, cap);
    tokens -= cuttableTokens(block) - cuttableTokens(cut);
    return cut;
  });
  return { ...message, content, tokens };
}

function cutBlock(block: ModelBlock, cap: number): ModelBlock {
  if (block.type === 'text') return { ...block, text: cutText(block.text, cap) };
  if (block.type === 'tool_result') return { ...block, content: cutText(block.content, cap) };
  return block;
}

function cutText(text: string, cap: number): string {
  return cutBytes(Buffer.from(text), cap);
}

function cutBytes(bytes: Buffer, cap: number): string {
  const marker = (left: number) => `\n[... ${left} bytes are left out here: they do not fit the model's window ...]\n`;
  const half = Math.max(0, Math.floor((cap * bytesPerToken - marker(bytes.length).length) / 2));
  const [head, tail] = [characterAt(bytes, half), characterAt(bytes, bytes.length - half)];
  return `${bytes.toString('utf8', 0, head)}${marker(tail - head)}${bytes.toString('utf8', tail)}`;
}

/** The beginning of the character at or before a place. */
function characterAt(bytes: Buffer, index: number): number {
  let at = index;
  while (at > 0 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}

function cuttableTokens(block: ModelBlock): number {
  if (block.type === 'text') return textTokens(block.text);
  return block.type === 'tool_result' ? textTokens(block.content) : 0;
}
