import {
  isJsonObject,
  type Json,
  type JsonObject,
  type ModelBlock,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  type ModelUsage,
} from '@aos/kernel';
import { nameCharactersMax } from './job/job.limits.js';

/** The answer of a worker to a model call. */
export interface Answer {
  content: ModelBlock[];
  stop: 'end' | 'tool_use' | 'length';
  usage: ModelUsage;
  model: string | null;
}

export interface Route {
  provider: string;
  model: string;
}

/**
 * The request to a worker: the transcript's blocks, in the order and form in which the service keeps them; bytes in
 * base 64.
 *
 * Source   rule R44 (what it holds).
 */
export function generationRequest(
  { provider, model }: Route,
  { system, messages, tools, thinkingEffort }: ModelRequest,
): JsonObject {
  return {
    provider,
    model,
    system,
    messages: messages.map(messageOf),
    tools: tools.map(({ name, description, input_schema: schema }) => ({ name, description, input_schema: schema })),
    ...(thinkingEffort === null ? {} : { thinking_effort: thinkingEffort }),
  };
}

function messageOf({ role, content }: ModelMessage): JsonObject {
  return { role, content: content.map(blockOf) };
}

function blockOf(block: ModelBlock): JsonObject {
  if (block.type !== 'image' && block.type !== 'document') return { ...block } as JsonObject;
  const { type, media_type: mediaType, bytes } = block;
  return { type, source: { type: 'base64', media_type: mediaType, data: Buffer.from(bytes).toString('base64') } };
}

/**
 * Reads a worker's result: `{content, stop_reason?, usage?, model?}`, where content is a text or a list of blocks
 * `text`, `thinking`, `tool_use`.
 *
 * Gives    the answer, or what is wrong with it.
 */
export function readAnswer(result: JsonObject): Answer | { fault: string } {
  const given = typeof result.content === 'string' ? [{ type: 'text', text: result.content }] : result.content;
  if (!Array.isArray(given)) return { fault: 'content is neither a text nor a list of blocks' };
  const content: ModelBlock[] = [];
  const ids = new Set<string>();
  for (const entry of given) {
    const block = readBlock(entry);
    if (!block) return { fault: `content block ${content.length} is no text, thinking or tool_use block` };
    if (block.type === 'tool_use' && Math.max(block.id.length, block.name.length) > nameCharactersMax)
      return { fault: `content block ${content.length} has an id or a name of over ${nameCharactersMax} characters` };
    if (block.type === 'tool_use' && ids.has(block.id)) return { fault: `two tool_use blocks have the id ${block.id}` };
    if (block.type === 'tool_use') ids.add(block.id);
    content.push(block);
  }
  const calls = ids.size > 0;
  return {
    content,
    stop: calls ? 'tool_use' : result.stop_reason === 'length' ? 'length' : 'end',
    usage: usageOf(result.usage),
    model: typeof result.model === 'string' && result.model !== '' ? result.model : null,
  };
}

function readBlock(entry: Json): ModelBlock | null {
  if (!isJsonObject(entry)) return null;
  const { type, text, thinking, signature, id, name, input } = entry;
  if (type === 'text') return typeof text === 'string' ? { type, text } : null;
  if (type === 'thinking')
    return typeof thinking === 'string'
      ? { type, thinking, ...(typeof signature === 'string' ? { signature } : {}) }
      : null;
  const isCall =
    type === 'tool_use' &&
    typeof id === 'string' &&
    id !== '' &&
    typeof name === 'string' &&
    name !== '' &&
    (input === undefined || isJsonObject(input));
  return isCall ? { type, id, name, input: input ?? {} } : null;
}

function usageOf(given: Json | undefined): ModelUsage {
  const counted = (counter: string): number => {
    const value = isJsonObject(given) ? given[counter] : undefined;
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
  };
  return {
    input_tokens: counted('input_tokens'),
    output_tokens: counted('output_tokens'),
    cache_read_input_tokens: counted('cache_read_input_tokens'),
    cache_creation_input_tokens: counted('cache_creation_input_tokens'),
    reasoning_tokens: counted('reasoning_tokens'),
  };
}

interface Growing {
  type: 'text' | 'thinking';
  text: string;
}

/**
 * An answer that grows with its pieces and is completed at the end: blocks open, grow and close in order, also when
 * pieces were lost.
 */
export class GrowingAnswer {
  private readonly closed: Growing[] = [];
  private open: Growing | null = null;

  get hasBegun(): boolean {
    return this.open !== null || this.closed.length > 0;
  }

  /** One piece, `{text}` or `{type: thinking, thinking}`; nothing for any other. */
  grow(delta: JsonObject): ModelEvent[] {
    const isThinking = delta.type === 'thinking';
    const piece = isThinking ? delta.thinking : delta.text;
    if (typeof piece !== 'string' || piece === '') return [];
    const type = isThinking ? 'thinking' : 'text';
    const events: ModelEvent[] = [];
    if (this.open && this.open.type !== type) events.push(...this.close());
    if (!this.open) {
      this.open = { type, text: '' };
      events.push({ type: 'block_start', index: this.closed.length, block: { type } });
    }
    this.open.text += piece;
    events.push(deltaEvent(type, this.closed.length, piece));
    return events;
  }

  /**
   * The events that complete the answer; null when the shown part differs from the answer, which must then be shown
   * anew.
   */
  finish(content: readonly ModelBlock[]): ModelEvent[] | null {
    const shown = [...this.closed, ...(this.open ? [this.open] : [])];
    const fits = shown.every(({ type, text }, index) => {
      const block = content[index];
      const said = block?.type === 'text' ? block.text : block?.type === 'thinking' ? block.thinking : null;
      if (block?.type !== type || said === null) return false;
      return index < this.closed.length ? said === text : said.startsWith(text);
    });
    if (!fits) return null;
    return content
      .slice(this.closed.length)
      .flatMap((block, index) => rest(block, this.closed.length + index, index === 0 ? this.open : null));
  }

  private close(): ModelEvent[] {
    if (!this.open) return [];
    const { type, text } = this.open;
    const index = this.closed.length;
    this.closed.push(this.open);
    this.open = null;
    return [{ type: 'block_stop', index, block: type === 'text' ? { type, text } : { type, thinking: text } }];
  }
}

function rest(block: ModelBlock, index: number, open: Growing | null): ModelEvent[] {
  const events: ModelEvent[] = [];
  if (!open && (block.type === 'text' || block.type === 'thinking'))
    events.push({ type: 'block_start', index, block: { type: block.type } });
  if (block.type === 'tool_use')
    events.push({ type: 'block_start', index, block: { type: 'tool_use', id: block.id, name: block.name } });
  if (block.type === 'text' || block.type === 'thinking') {
    const missing = (block.type === 'text' ? block.text : block.thinking).slice(open?.text.length ?? 0);
    if (missing !== '') events.push(deltaEvent(block.type, index, missing));
  }
  return [...events, { type: 'block_stop', index, block }];
}

function deltaEvent(type: 'text' | 'thinking', index: number, piece: string): ModelEvent {
  return type === 'text'
    ? { type: 'text_delta', index, text: piece }
    : { type: 'thinking_delta', index, thinking: piece };
}
