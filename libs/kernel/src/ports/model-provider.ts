import type { JsonObject } from '../json.js';

/** What the model is given, in the provider-neutral form of the transcript. */
export type ModelBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature?: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject }
  | { type: 'tool_result'; tool_use_id: string; content: string; is_error: boolean }
  | { type: 'image'; media_type: string; bytes: Uint8Array }
  | { type: 'document'; media_type: string; bytes: Uint8Array; title?: string }
  | MediaReference;

/**
 * Media that is fetched when a model is called: at an address that a caller gave, in a file of the service that an
 * address of ours names, or in the transcript: block `index` of the row that the session's event at `revision`
 * recorded, or, where that is a tool result, block `inner` of it. What a provider gets has what is there in its place;
 * one that is left over is passed over.
 */
export type MediaReference =
  | { type: 'remote'; kind: 'image' | 'document'; url: string; title?: string }
  | { type: 'artifact'; kind: 'image' | 'document'; artifactId: string; url: string; title?: string }
  | {
      type: 'stored';
      kind: 'image' | 'document';
      revision: number;
      index: number;
      inner?: number;
      title?: string;
      /** Its type, when nothing here reads that. */ unread?: string;
    };

export interface ModelMessage {
  role: 'user' | 'assistant';
  content: ModelBlock[];
  /** Estimated size of this message (rule S18), counted once when the message was built. */
  tokens: number;
  /** Name and content of a recorded context item (stored name, `app-...`), for models that look items up. */
  context?: { name: string; content: string };
  /** What was said, where the model is given it inside a marked block (a nudge). */
  said?: string;
  /** True for rows that the service put in (context, summaries): not the newest thing that was said. */
  service?: boolean;
}

export interface ModelTool {
  name: string;
  description: string;
  input_schema: JsonObject;
}

export interface ModelRequest {
  /** Id in the catalog, without the provider. */
  model: string;
  system: string;
  /** Read only: the list is shared with the window it comes from. */
  messages: readonly ModelMessage[];
  /** Sum of the messages' tokens plus the system text's. */
  contextTokens: number;
  tools: readonly ModelTool[];
  thinkingEffort: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null;
  /** Model calls of this turn that are already recorded: a scripted model goes on from there. */
  callIndex: number;
  /** Index into `messages` of the first row that belongs to this turn's input. */
  turnStart: number;
  /**
   * `summary`: the messages are to be summed up for compaction, as `system` says; there are no tools. Absent: the next
   * answer of a turn.
   */
  purpose?: 'summary';
}

export interface ModelUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  reasoning_tokens: number;
}

/** What a model call gives, in order: blocks open, grow and close one after another; `done` is last. */
export type ModelEvent =
  | {
      type: 'block_start';
      index: number;
      block: { type: 'text' } | { type: 'thinking' } | { type: 'tool_use'; id: string; name: string };
    }
  | { type: 'text_delta'; index: number; text: string }
  | { type: 'thinking_delta'; index: number; thinking: string }
  | { type: 'block_stop'; index: number; block: ModelBlock }
  | { type: 'done'; stop: 'end' | 'tool_use' | 'length'; usage: ModelUsage; model: string; provider: string };

/**
 * The provider failed or broke off: nothing of the call is kept. `retryAfterMs` when it said so and another try may
 * help.
 */
export class ModelFailure extends Error {
  constructor(
    message: string,
    readonly retryable: boolean,
    readonly retryAfterMs: number | null = null,
    /** `error_type` of the turn. */
    readonly errorType: 'model_error' | 'model_unavailable' | 'worker_unavailable' = 'model_error',
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ModelFailure';
  }
}

export interface ModelOption {
  id: string;
  provider: string;
  label: string;
  description?: string;
  contextWindowTokens: number;
  vision: boolean;
  documents: boolean;
  /** It answers without the network: media at addresses are not fetched for it. */
  offline?: boolean;
  /** Billing plans that may use it; null: all. */
  plans: readonly string[] | null;
}

export interface ModelCatalog {
  defaultModel: string | null;
  providers: { provider: string; displayName: string; source: string; models: ModelOption[] }[];
}

/**
 * Events of one answer, read once.
 *
 * Promises: the same events in the same order, whichever of them are taken by `ready` and which by `next`.
 */
export interface ModelStream extends AsyncIterable<ModelEvent> {
  [Symbol.asyncIterator](): AsyncIterator<ModelEvent> & {
    /**
     * The next event when it is there already; null when `next` is to be waited for. Absent: `next` gives each event.
     * Throws what `next` would reject with.
     */
    ready?(): ModelEvent | null;
  };
}

/**
 * Where answers come from.
 *
 * Promises: events in order, one `done` at the end or a `ModelFailure`; an aborted signal ends the stream within a
 * second, closes the provider's connection and throws the signal's reason; `input_tokens` excludes cache traffic.
 */
export abstract class ModelProvider {
  abstract readonly catalog: ModelCatalog;
  /** Finds `id` or `provider/id`; null when the catalog has no such model. Empty or absent: the default model. */
  abstract find(model: string | undefined): ModelOption | null;
  abstract stream(request: ModelRequest, signal: AbortSignal): ModelStream;
}
