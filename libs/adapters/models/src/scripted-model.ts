import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises';
import {
  ModelFailure,
  hash32,
  jsonBytes,
  unreachable,
  youngFunction,
  type Clock,
  type ModelBlock,
  type ModelEvent,
  type ModelMessage,
  type ModelOption,
  type ModelRequest,
  type ModelStream,
  type ModelUsage,
} from '@aos/kernel';
import { parseScript, type ScriptedCall, ScriptFault, type ScriptStep, stepsOfCall } from './script.js';

/** How the scripted model stands in a catalog. */
export const scriptedModelOption: ModelOption = {
  id: 'svc-scripted-1',
  provider: 'scripted',
  label: 'Scripted model',
  description: 'Plays scripts and repeats what it is told; needs no network.',
  contextWindowTokens: 200_000,
  vision: true,
  documents: true,
  offline: true,
  plans: null,
};

/**
 * Names a tool call, from what the turn was told, which call of the turn this is, and the place among its tool calls.
 */
export type ToolUseId = (turn: string, callIndex: number, position: number) => string;

export interface ScriptedModelOptions {
  clock: Clock;
  toolUseId?: ToolUseId;
}

const tokensMax = 200_000;
const everyMsMax = 60_000;
/** A longer text goes out in as many pieces, several words to a piece. */
const piecesMax = 2000;
/** Deltas between two chances for other work, an abort among it. */
const deltasPerTurnOfTheLoop = 64;
const nothingToRead = '(none)';

/**
 * A deterministic model with no network: plays a script, streams tokens, or repeats what it was told.
 *
 * A call looks at the rows of its own turn and at the newest ones, never at the whole context: its size comes in
 * `contextTokens`.
 */
export class ScriptedModel {
  readonly option = scriptedModelOption;

  constructor(private readonly options: ScriptedModelOptions) {}

  stream(request: ModelRequest, signal: AbortSignal): PlayedSteps {
    return new PlayedSteps(new Answer(request, this.options).steps(), this.options.clock, signal);
  }
}

/** The events of an answer, each when its time has come; those that are there already without a promise. */
class PlayedSteps implements ModelStream, AsyncIterator<ModelEvent> {
  /** What comes before the next event. */
  private wait: Wait | null = null;
  /** The newest pause; null: there was none. */
  private pause: { timer: { cancel(): void }; reject: (reason: unknown) => void } | null = null;

  constructor(
    private readonly steps: Generator<Step>,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  ready(): ModelEvent | null {
    if (this.wait) return null;
    try {
      const { done, value: step } = this.steps.next();
      if (done) {
        this.end();
        return null;
      }
      this.signal.throwIfAborted();
      if (!isWait(step)) return step;
      this.wait = step;
      return null;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  async next(): Promise<IteratorResult<ModelEvent>> {
    for (;;) {
      const event = this.ready();
      if (event) return { done: false, value: event };
      const { wait } = this;
      if (!wait) return { done: true, value: undefined };
      this.wait = null;
      await (wait.type === 'pause' ? this.paused(wait.ms) : nextTurnOfTheLoop());
    }
  }

  async return(): Promise<IteratorResult<ModelEvent>> {
    this.end();
    return { done: true, value: undefined };
  }

  /** Rejects at once when the caller gives up. */
  private paused(ms: number): Promise<void> {
    if (!this.pause) this.signal.addEventListener('abort', this.giveUp);
    return new Promise((resolve, reject) => {
      this.pause = { timer: this.clock.after(ms, resolve), reject };
      if (this.signal.aborted) this.giveUp();
    });
  }

  /** Listens to all pauses of the answer: to be added for each costs more than the pause. */
  private readonly giveUp = youngFunction((): void => {
    this.end();
    this.pause?.timer.cancel();
    this.pause?.reject(this.signal.reason);
  });

  private end(): void {
    this.steps.return(undefined);
    if (this.pause) this.signal.removeEventListener('abort', this.giveUp);
  }
}

/** What an answer does next: an event, or a wait. Only the stream around is asynchronous: each token costs promises. */
type Step = ModelEvent | Wait;
type Wait = { type: 'pause'; ms: number } | typeof nextTurn;
const nextTurn = { type: 'turn_of_the_loop' } as const;

function isWait(step: Step): step is Wait {
  return step.type === 'pause' || step.type === 'turn_of_the_loop';
}

/** The steps of this call; null when there is no script, or it has ended. */
function scriptFor(request: ModelRequest): ScriptStep[] | null {
  try {
    const input = inputText(request);
    const script = input === null ? null : parseScript(input.text);
    if (script) return stepsOfCall(script, request.callIndex);
    const newest = newestUserText(request.messages);
    if (!newest || newest.index === input?.index) return null;
    const nudged = parseScript(newest.text);
    return nudged && stepsOfCall(nudged, answersAfter(request.messages, newest.index));
  } catch (error) {
    if (error instanceof ScriptFault)
      throw new ModelFailure(`script: ${error.message}`, false, null, 'model_error', { cause: error });
    throw error;
  }
}

/** What a person said in this row; null for rows of the service, for answers and for tool results alone. */
function personsText({ role, content, service, context, said }: ModelMessage): string | null {
  if (said !== undefined) return said;
  if (role !== 'user' || service === true || context) return null;
  if (content.every((block) => block.type === 'tool_result')) return null;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** The row that started the turn: nudges come later and do not count. */
function inputText({ messages, turnStart }: ModelRequest): { text: string; index: number } | null {
  for (let index = Math.max(0, turnStart); index < messages.length; index += 1) {
    const message = messages[index];
    const text = message && personsText(message);
    if (text != null) return { text, index };
    if (message?.role === 'assistant') return null;
  }
  return null;
}

function newestUserText(messages: readonly ModelMessage[]): { text: string; index: number } | null {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    const text = message && personsText(message);
    if (text != null) return { text, index };
  }
  return null;
}

function answersAfter(messages: readonly ModelMessage[], from: number): number {
  let answers = 0;
  for (let index = from + 1; index < messages.length; index += 1)
    if (messages[index]?.role === 'assistant') answers += 1;
  return answers;
}

function lastToolResult(messages: readonly ModelMessage[]): string | null {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const result = messages[index]?.content.findLast((block) => block.type === 'tool_result');
    if (result?.type === 'tool_result') return result.content;
  }
  return null;
}

/** Newest recorded value under the stored name (rule R45). */
function contextItem(messages: readonly ModelMessage[], name: string): string | null {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const context = messages[index]?.context;
    if (context?.name === name) return context.content;
  }
  return null;
}

/** One answer as it grows. */
class Answer {
  private index = 0;
  private bytes = 0;
  private deltas = 0;
  private calls = 0;
  private usage: Partial<ModelUsage> = {};

  constructor(
    private readonly request: ModelRequest,
    private readonly options: Pick<ScriptedModelOptions, 'toolUseId'>,
  ) {}

  *steps(): Generator<Step> {
    const { request } = this;
    if (request.purpose === 'summary') {
      yield* this.say(`Summary of ${request.messages.length} messages.`);
    } else {
      const played = scriptFor(request);
      if (played) yield* this.play(played);
      else yield* this.reply(newestUserText(request.messages)?.text ?? '');
    }
    yield this.done();
  }

  private *play(steps: readonly ScriptStep[]): Generator<Step> {
    for (const step of steps) {
      switch (step.kind) {
        case 'think':
          yield* this.block('thinking', words(step.text));
          break;
        case 'say':
          yield* this.say(step.text);
          break;
        case 'repeat_say':
          yield* this.block(
            'text',
            Array.from({ length: step.times }, () => step.text),
          );
          break;
        case 'read':
          yield* this.say(this.read(step.what));
          break;
        case 'wait':
          yield { type: 'pause', ms: step.ms };
          break;
        case 'usage':
          this.usage = { ...this.usage, ...step.usage };
          break;
        case 'calls':
          for (const call of step.calls) yield* this.call(call);
          break;
        case 'error':
          throw new ModelFailure(
            step.message,
            false,
            null,
            step.type === 'model_unavailable' ? 'model_unavailable' : 'model_error',
          );
        default:
          unreachable(step);
      }
    }
  }

  private *reply(text: string): Generator<Step> {
    const tokens = numberIn(text, 'tokens', tokensMax);
    if (tokens === null) yield* this.say(`You said: ${text}`);
    else
      yield* this.block(
        'text',
        Array.from({ length: tokens }, (_, pieceIndex) => `tok${pieceIndex} `),
        numberIn(text, 'every', everyMsMax) ?? 0,
      );
  }

  private say(text: string): Generator<Step> {
    return this.block('text', words(text));
  }

  private done(): ModelEvent {
    const usage: ModelUsage = {
      input_tokens: this.request.contextTokens,
      output_tokens: Math.ceil(this.bytes / 4),
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      reasoning_tokens: 0,
      ...this.usage,
    };
    return {
      type: 'done',
      stop: this.calls > 0 ? 'tool_use' : 'end',
      usage,
      model: scriptedModelOption.id,
      provider: scriptedModelOption.provider,
    };
  }

  private *block(type: 'text' | 'thinking', pieces: readonly string[], everyMs = 0): Generator<Step> {
    const index = this.index;
    this.index += 1;
    yield { type: 'block_start', index, block: { type } };
    for (let at = 0; at < pieces.length; at += 1) {
      const piece = pieces[at] as string;
      if (everyMs > 0 && at > 0) yield { type: 'pause', ms: everyMs };
      this.deltas += 1;
      if (this.deltas % deltasPerTurnOfTheLoop === 0) yield nextTurn;
      yield type === 'text'
        ? { type: 'text_delta', index, text: piece }
        : { type: 'thinking_delta', index, thinking: piece };
    }
    const whole = pieces.join('');
    this.bytes += Buffer.byteLength(whole);
    yield { type: 'block_stop', index, block: type === 'text' ? { type, text: whole } : { type, thinking: whole } };
  }

  private *call({ name, input }: ScriptedCall): Generator<ModelEvent> {
    const index = this.index;
    const block: ModelBlock = { type: 'tool_use', id: this.toolUseId(), name, input };
    this.index += 1;
    this.calls += 1;
    this.bytes += Buffer.byteLength(name) + jsonBytes(input);
    yield { type: 'block_start', index, block: { type: 'tool_use', id: block.id, name } };
    yield { type: 'block_stop', index, block };
  }

  private toolUseId(): string {
    const { callIndex, turnStart, contextTokens } = this.request;
    const turn = JSON.stringify([inputText(this.request)?.text ?? '', turnStart, contextTokens]);
    if (this.options.toolUseId) return this.options.toolUseId(turn, callIndex, this.calls);
    return `toolu_${hash32(JSON.stringify([turn, callIndex, this.calls]))}`;
  }

  private read(what: string): string {
    const { messages } = this.request;
    if (what === 'last_tool_result') return lastToolResult(messages) ?? nothingToRead;
    if (what === 'last_user') return newestUserText(messages)?.text ?? nothingToRead;
    return contextItem(messages, what.slice('context:'.length)) ?? nothingToRead;
  }
}

/** `name=<digits>` anywhere in the text. */
function numberIn(text: string, name: 'tokens' | 'every', max: number): number | null {
  const digits = new RegExp(`\\b${name}=(\\d{1,9})`).exec(text)?.[1];
  return digits === undefined ? null : Math.min(Number(digits), max);
}

/** Words with the white space after them; a very long text in a bounded number of pieces. */
function words(text: string): string[] {
  const found = text.match(/\s*\S+\s*|\s+/g) ?? [];
  if (found.length <= piecesMax) return found;
  const perPiece = Math.ceil(found.length / piecesMax);
  return Array.from({ length: Math.ceil(found.length / perPiece) }, (_, pieceIndex) =>
    found.slice(pieceIndex * perPiece, (pieceIndex + 1) * perPiece).join(''),
  );
}
