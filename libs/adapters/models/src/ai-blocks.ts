import {
  type JsonObject,
  type ModelBlock,
  type ModelEvent,
  ModelFailure,
  type ModelUsage,
  unreachable,
} from '@aos/kernel';
import type { FinishReason, LanguageModelUsage, TextStreamPart, ToolSet } from 'ai';
import { signatureOf } from './ai-prompt.js';

interface OpenBlock {
  kind: 'text' | 'thinking';
  id: string;
  index: number;
  pieces: string[];
  signature: string | null;
  /** A block of which nothing was shown yet: the start is announced with the first piece. */
  announced: boolean;
}

/** Characters of the inputs of all calls, as they come: the package reads each anew with every piece. */
const inputSizeMax = 8 * 1024 * 1024;

/** What one model step came to. */
export interface Finish {
  reason: FinishReason;
  /** The vendor's own word; undefined when it gave none. */
  raw: string | undefined;
  usage: ModelUsage;
}

/** Puts a provider's interleaved parts into our order: one block after another, each closed before the next opens. */
export class BlockSequence {
  finish: Finish | null = null;
  toolCalls = 0;
  private next = 0;
  private open: OpenBlock | null = null;
  private inputSize = 0;

  /** Gives what a part leads to. Throws what an `error` part carries, as it is. */
  *take(part: TextStreamPart<ToolSet>): Generator<ModelEvent> {
    switch (part.type) {
      case 'text-delta':
        yield* this.grow('text', part.id, part.text, null);
        break;
      case 'reasoning-start':
      case 'reasoning-delta':
        yield* this.grow(
          'thinking',
          part.id,
          part.type === 'reasoning-delta' ? part.text : '',
          signatureOf(part.providerMetadata),
        );
        break;
      case 'text-end':
      case 'reasoning-end':
        if (this.open?.id === part.id) yield* this.close(signatureOf(part.providerMetadata));
        break;
      case 'tool-input-delta':
        this.inputSize += part.delta.length;
        if (this.inputSize > inputSizeMax) throw new ModelFailure('the inputs of the calls are too large', false);
        break;
      case 'tool-call':
        yield* this.toolUse(part.toolCallId, part.toolName, part.input);
        break;
      case 'finish-step':
        this.finish = { reason: part.finishReason, raw: part.rawFinishReason, usage: toUsage(part.usage) };
        break;
      case 'error':
        throw part.error;
      default:
        break; // starts, raw chunks, sources and tool results of the package itself say nothing that we keep
    }
  }

  /** Closes what is open. */
  *end(): Generator<ModelEvent> {
    yield* this.close(null);
  }

  private *grow(kind: OpenBlock['kind'], id: string, text: string, signature: string | null): Generator<ModelEvent> {
    if (this.open && (this.open.kind !== kind || this.open.id !== id)) yield* this.close(null);
    this.open ??= { kind, id, index: this.next, pieces: [], signature: null, announced: false };
    this.open.signature = signature ?? this.open.signature;
    if (text === '') return;
    yield* this.announce(this.open);
    this.open.pieces.push(text);
    const { index } = this.open;
    yield kind === 'text' ? { type: 'text_delta', index, text } : { type: 'thinking_delta', index, thinking: text };
  }

  private *announce(block: OpenBlock): Generator<ModelEvent> {
    if (block.announced) return;
    block.announced = true;
    this.next += 1;
    yield { type: 'block_start', index: block.index, block: { type: block.kind } };
  }

  private *close(signature: string | null): Generator<ModelEvent> {
    const block = this.open;
    if (!block) return;
    this.open = null;
    const proof = signature ?? block.signature;
    if (!block.announced && proof === null) return; // nothing was said
    yield* this.announce(block);
    yield { type: 'block_stop', index: block.index, block: wholeBlock(block, proof) };
  }

  private *toolUse(id: string, name: string, input: unknown): Generator<ModelEvent> {
    yield* this.close(null);
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      throw new ModelFailure(`the model called ${name} with an input that is no JSON object`, true);
    }
    const index = this.next;
    this.next += 1;
    this.toolCalls += 1;
    yield { type: 'block_start', index, block: { type: 'tool_use', id, name } };
    yield { type: 'block_stop', index, block: { type: 'tool_use', id, name, input: input as JsonObject } };
  }
}

function wholeBlock({ kind, pieces }: OpenBlock, signature: string | null): ModelBlock {
  const whole = pieces.join('');
  switch (kind) {
    case 'text':
      return { type: 'text', text: whole };
    case 'thinking':
      return { type: 'thinking', thinking: whole, ...(signature === null ? {} : { signature }) };
    default:
      return unreachable(kind);
  }
}

/**
 * Cache traffic is counted apart: the package's total of input tokens includes it and is used only when nothing finer
 * is told.
 */
function toUsage({
  inputTokens,
  inputTokenDetails: input,
  outputTokens,
  outputTokenDetails: output,
}: LanguageModelUsage): ModelUsage {
  const cacheRead = input.cacheReadTokens ?? 0;
  const cacheWrite = input.cacheWriteTokens ?? 0;
  return {
    input_tokens: input.noCacheTokens ?? Math.max(0, (inputTokens ?? 0) - cacheRead - cacheWrite),
    output_tokens: outputTokens ?? 0,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    reasoning_tokens: output.reasoningTokens ?? 0,
  };
}
