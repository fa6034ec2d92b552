import {
  type Clock,
  type ModelEvent,
  ModelFailure,
  type ModelOption,
  type ModelRequest,
  youngFunction,
} from '@aos/kernel';
import type { StreamTextResult, TextStreamPart, ToolSet } from 'ai';
import { BlockSequence } from './ai-blocks.js';
import { toModelFailure } from './ai-failure.js';
import { toAiInstructions, toAiMessages, toAiTools } from './ai-prompt.js';
import { clampEffort } from './thinking-effort.js';
import { type Api, type Endpoint, VendorEndpoint } from './vendor-model.js';

export interface AiModelOptions extends Endpoint {
  clock: Clock;
  /** Random number in [0, 1) that spreads repeats. */
  random?: () => number;
  /** Longest silence of a provider before the call is given up. */
  idleMs?: number;
}

/** Tries of one call, the first included, as long as nothing of an answer has come. */
const triesMax = 3;
const retryFirstMs = 500;
/** A provider that asks for more patience is left to the caller. */
const retryAfterMsMax = 30_000;
/** Deep thinking is silent for minutes. */
const defaultIdleMs = 600_000;
/** Anthropic must be told a limit; the package brings it down for models with a lower one. */
const anthropicOutputTokens = 32_000;

type Parts = AsyncIterator<TextStreamPart<ToolSet>>;

/**
 * Models of Anthropic, OpenAI and everything that speaks like OpenAI.
 *
 * Promises what `ModelProvider.stream` promises. Inside a call it tries again, at most 3 times in all, on 429, 5xx and
 * broken connections, and only before the first event went out; `Retry-After` is obeyed up to 30 s. Afterwards a cut
 * stream is a retryable `ModelFailure`.
 */
export class AiModelProvider {
  private readonly endpoint: VendorEndpoint;

  constructor(private readonly options: AiModelOptions) {
    this.endpoint = new VendorEndpoint(options);
  }

  async *stream(option: ModelOption, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    let api = this.endpoint.api;
    let other = this.endpoint.otherApi(api);
    for (let tried = 1; ; tried += 1) {
      let shown = false;
      try {
        for await (const event of this.once(option, request, signal, api)) {
          this.endpoint.api = api;
          shown = true;
          yield event;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        const failure = toModelFailure(error, this.options.clock.now());
        if (!shown && other && failure.errorType === 'model_unavailable') {
          [api, other] = [other, null]; // 404: the model is unknown, or the path
          continue;
        }
        const waitMs = this.waitMs(failure, tried);
        if (shown || waitMs === null) throw failure;
        await this.options.clock.sleep(waitMs, signal);
      }
    }
  }

  async close(): Promise<void> {
    await this.endpoint.close();
  }

  /** How long to wait before another try; null for none. */
  private waitMs({ retryable, retryAfterMs }: ModelFailure, tried: number): number | null {
    if (!retryable || tried >= triesMax || (retryAfterMs ?? 0) > retryAfterMsMax) return null;
    const spread = (this.options.random ?? Math.random)();
    return (retryAfterMs ?? retryFirstMs * 2 ** (tried - 1)) + spread * retryFirstMs;
  }

  private async *once(
    option: ModelOption,
    request: ModelRequest,
    signal: AbortSignal,
    api: Api,
  ): AsyncGenerator<ModelEvent> {
    const watch = new Watch(signal, this.options.clock, this.options.idleMs ?? defaultIdleMs);
    try {
      const result = await watch.bounded(this.ask(option, request, watch.signal, api));
      const parts: Parts = result.fullStream[Symbol.asyncIterator]();
      const blocks = new BlockSequence();
      for (;;) {
        const next = await watch.bounded(parts.next());
        if (next.done === true) break;
        watch.heard();
        signal.throwIfAborted();
        yield* blocks.take(next.value);
      }
      yield* blocks.end();
      yield doneOf(blocks, option);
    } finally {
      watch.end();
    }
  }

  private async ask(
    option: ModelOption,
    request: ModelRequest,
    signal: AbortSignal,
    api: Api,
  ): Promise<StreamTextResult<ToolSet, never, never>> {
    const { vendor } = this.options;
    const { streamText, jsonSchema } = await import('ai');
    globalThis.AI_SDK_LOG_WARNINGS = false; // the package would write to the console
    const effort = clampEffort(vendor, option.id, request.thinkingEffort);
    const { model, providerOptions } = await this.endpoint.model(option.id, effort, api);
    const instructions = toAiInstructions(request.system, vendor);
    const tools = toAiTools(request.tools, jsonSchema);
    // its type follows from the tools, which are known at run time only
    return streamText({
      model,
      messages: toAiMessages(request.messages, option, vendor),
      ...(instructions ? { instructions } : {}),
      ...(tools ? { tools } : {}),
      ...(effort ? { reasoning: effort } : {}),
      ...(vendor === 'anthropic' ? { maxOutputTokens: anthropicOutputTokens } : {}),
      providerOptions,
      maxRetries: 0,
      abortSignal: signal,
      telemetry: { isEnabled: false },
      onError: () => undefined, // the error comes as a part of the stream too
    }) as unknown as StreamTextResult<ToolSet, never, never>;
  }
}

/**
 * Ends a call by its caller's signal, or when the provider has been silent too long; either way the connection closes.
 */
class Watch {
  private readonly abort = new AbortController();
  private readonly stopped: Promise<never>;
  private timer: { cancel(): void } | null = null;
  private readonly onAbort = youngFunction(() => this.abort.abort(this.caller.reason));

  constructor(
    private readonly caller: AbortSignal,
    private readonly clock: Clock,
    private readonly idleMs: number,
  ) {
    this.stopped = new Promise((_resolve, reject) => {
      this.abort.signal.addEventListener('abort', () => reject(this.abort.signal.reason as Error), { once: true });
    });
    this.stopped.catch(() => undefined); // callers that wait get the fault; at the end there may be none
    if (caller.aborted) this.onAbort();
    else caller.addEventListener('abort', this.onAbort, { once: true });
    this.heard();
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  heard(): void {
    this.timer?.cancel();
    if (this.abort.signal.aborted) return;
    this.timer = this.clock.after(this.idleMs, () =>
      this.abort.abort(new ModelFailure(`the provider was silent for ${this.idleMs} ms`, true)),
    );
  }

  bounded<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.stopped]);
  }

  end(): void {
    this.timer?.cancel();
    this.caller.removeEventListener('abort', this.onAbort);
    this.abort.abort(new Error('the call is over'));
  }
}

/**
 * Refuses a stream that just stops. One that ended says why, in the vendor's word or (Responses API) by being
 * completed.
 */
function doneOf({ finish, toolCalls }: BlockSequence, { id, provider }: ModelOption): ModelEvent {
  const cut = !finish || finish.reason === 'interrupted' || (finish.reason === 'other' && finish.raw === undefined);
  if (cut) throw new ModelFailure('the answer was cut off', true);
  if (finish.reason === 'error')
    throw new ModelFailure(`the provider ended the answer with ${finish.raw ?? 'an error'}`, true);
  if (finish.reason === 'content-filter')
    throw new ModelFailure(`the provider withheld the answer: ${finish.raw ?? 'content filter'}`, false);
  const stop = toolCalls > 0 ? 'tool_use' : finish.reason === 'length' ? 'length' : 'end';
  return { type: 'done', stop, usage: finish.usage, model: id, provider };
}
