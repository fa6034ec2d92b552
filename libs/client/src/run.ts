import { SessionFollow } from './session-follow.js';
import { isFinal, TranscriptFold, type Interaction, type TranscriptTurn } from './transcript-fold.js';
import { typed } from './json.js';
import { pause, randomKey } from './retry.js';
import type { Transport } from './transport.js';
import { withKey } from './resources.js';
import type { Reply, RequestBody, Schema } from './wire.js';

export type Turn = Schema<'AgentTurn'>;
type Invocation = RequestBody<'invokeAgent'>;

export interface InvokeOptions {
  /** The caller's key of a conversation, or all that is said of the session; the default session when left out. */
  session?: string | NonNullable<Invocation['session']>;
  /** Retry key: a repeat under it gives the same turn. One is made when left out. */
  key?: string;
  context?: Invocation['input']['context'];
  metadata?: Invocation['input']['metadata'];
  /** JSON Schema of what the turn must give as its `output`. */
  output?: NonNullable<Invocation['output']>['schema'];
  timeoutSeconds?: number;
  signal?: AbortSignal;
}

const lookAgainMs = 1000;

/** One turn that was started: its text as it comes, its questions, its end. Watching it shares one stream. */
export class Run {
  /** The service's acknowledgement, with session and turn; refused when the turn was not started. */
  readonly started: Promise<Reply<'invokeAgent'>>;
  private readonly fold = new TranscriptFold();
  private turn: TranscriptTurn | null = null;
  private cursor: string | null = null;
  private follower: SessionFollow | null = null;
  private isWatching = false;
  private watchers = new Set<Watcher>();

  constructor(
    private readonly transport: Transport,
    agent: string | Invocation['agent_ref'],
    input: string | Invocation['input']['content'],
    private readonly options: InvokeOptions = {},
  ) {
    const call = withKey({ body: bodyOf(agent, input, options), signal: options.signal }, 'i');
    this.started = transport.json<Reply<'invokeAgent'>>('POST', '/v1/agents/invoke', call);
    this.started.catch(() => undefined); // every method of the run refuses with it
  }

  /**
   * The agent's words as they are written, from the beginning of the turn. After a cut a row comes as a whole, also one
   * that is a little behind: only what is new of it counts. Where a process of the service died in the middle of an
   * answer, the answer is written anew: once it says something else, it is given as a whole again.
   */
  async *text(): AsyncGenerator<string, void, undefined> {
    const given = new Map<string, string>();
    for await (const _change of this.changes())
      for (const message of this.fold.ordered()) {
        if (message.role !== 'assistant') continue;
        const said = message.content
          .map((block) => (block.type === 'text' ? String(block['text'] ?? '') : ''))
          .join('');
        const before = given.get(message.id) ?? '';
        if (before.startsWith(said)) continue;
        given.set(message.id, said);
        yield said.startsWith(before) ? said.slice(before.length) : said;
      }
  }

  /** The final turn, whether it completed, failed or was cancelled. */
  async done(): Promise<Turn> {
    for await (const _change of this.changes()) continue;
    return typed<Turn>(this.turn);
  }

  /** Questions that the turn asks, as they come; they are answered by `interactions.respond`. */
  async *questions(): AsyncGenerator<Interaction, void, undefined> {
    const given = new Set<string>();
    const { turn_id } = await this.started;
    for await (const _change of this.changes())
      for (const interaction of this.fold.interactions.values()) {
        const isOfTurn = interaction.consumer?.agent_tool?.invocation_id === turn_id; // not of another of the session
        if (!isOfTurn || given.has(interaction.id) || interaction.status !== 'pending') continue;
        given.add(interaction.id);
        yield interaction;
      }
  }

  /** Steers the session's open turn, or starts the next one. */
  async nudge(content: string, { wake, key }: { wake?: boolean; key?: string } = {}): Promise<Reply<'nudgeSession'>> {
    const { session_id } = await this.started;
    const body = { content, ...(wake === undefined ? {} : { wake }), idempotency_key: key ?? randomKey() };
    return this.transport.json(
      'POST',
      '/v1/sessions/{session_id}/nudges',
      withKey({ path: { session_id }, body }, 'k'),
    );
  }

  /** Cancels the turn; gives it as it is then, which is another end where that came first. */
  async cancel(): Promise<Turn> {
    const { session_id, turn_id } = await this.started;
    const path = { session_id, turn_id };
    return this.transport.json('POST', '/v1/sessions/{session_id}/turns/{turn_id}/cancel', { path });
  }

  /** Once at first and after each change, until the turn is final. */
  private async *changes(): AsyncGenerator<void, void, undefined> {
    await this.started;
    const watcher = new Watcher();
    this.watchers.add(watcher);
    if (!this.isWatching) void this.watch();
    try {
      for (;;) {
        const isOver = this.turn !== null && isFinal(this.turn);
        yield;
        if (isOver) return;
        await watcher.change();
      }
    } finally {
      this.watchers.delete(watcher);
      if (this.watchers.size === 0) this.unfollow();
    }
  }

  private unfollow(): void {
    this.follower?.close();
    this.follower = null;
  }

  /** Folds what comes, as long as something watches and the turn is open; one stream at a time, for all readers. */
  private async watch(): Promise<void> {
    this.isWatching = true;
    try {
      const { session_id, turn_id, resume_cursor } = await this.started;
      const isOpen = () => this.watchers.size > 0 && !(this.turn !== null && isFinal(this.turn));
      while (isOpen()) {
        const after = this.cursor ?? resume_cursor;
        const follower = new SessionFollow(this.transport, session_id, { after, signal: this.options.signal });
        this.follower = follower;
        for await (const frame of follower) {
          this.take(frame.data, turn_id);
          this.cursor = follower.cursor;
          if (!isOpen()) break;
        }
        const isEnded = this.follower === follower; // else its last reader left, and another one came
        if (isOpen() && isEnded) await this.look(session_id, turn_id);
      }
    } catch (error) {
      for (const watcher of this.watchers) watcher.fail(error);
    } finally {
      this.isWatching = false;
    }
  }

  /** The stream ended and the turn is not final in it: it is looked up, and the stream opened again a little later. */
  private async look(session_id: string, turn_id: string): Promise<void> {
    const path = { session_id, turn_id };
    const turn = await this.transport.json<Turn>('GET', '/v1/sessions/{session_id}/turns/{turn_id}', { path });
    if (isFinal(turn)) this.take({ event_type: 'turn.upsert', ...turn } as never, turn_id);
    else await pause(lookAgainMs, this.options.signal);
  }

  private take(data: Schema<'SessionTranscriptFrame'>, turnId: string): void {
    const isOther = data.event_type === 'message.upsert' && data['turn_id'] !== turnId;
    if (isOther) return; // a row of another turn of the session
    this.fold.apply({ data });
    if (data.event_type === 'turn.upsert' && data['id'] === turnId) this.turn = this.fold.turns.get(turnId) ?? null;
    for (const watcher of this.watchers) watcher.tell();
  }
}

/** One reader of a run's changes; several changes between two looks are one. */
class Watcher {
  private hasChanged = false;
  private failure: { error: unknown } | null = null;
  private wake: (() => void) | null = null;

  tell(): void {
    this.hasChanged = true;
    this.wake?.();
  }

  fail(error: unknown): void {
    this.failure = { error };
    this.wake?.();
  }

  async change(): Promise<void> {
    if (!this.hasChanged && this.failure === null)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    if (this.failure !== null) throw this.failure.error;
    this.hasChanged = false;
  }
}

function bodyOf(
  agent: string | Invocation['agent_ref'],
  input: string | Invocation['input']['content'],
  { session, key, context, metadata, output, timeoutSeconds }: InvokeOptions,
): Invocation {
  const content = typeof input === 'string' ? [{ type: 'text' as const, text: input }] : input;
  return {
    agent_ref: typeof agent === 'string' ? refOf(agent) : agent,
    ...(session === undefined ? {} : { session: sessionOf(session) }),
    input: {
      content,
      ...(key === undefined ? {} : { idempotency_key: key }),
      ...(context === undefined ? {} : { context }),
      ...(metadata === undefined ? {} : { metadata }),
    },
    ...(output === undefined ? {} : { output: { schema: output } }),
    ...(timeoutSeconds === undefined ? {} : { operation: { timeout_seconds: timeoutSeconds } }),
  } as Invocation;
}

function refOf(agent: string): Invocation['agent_ref'] {
  return (/^agent_[0-9a-z]{20,}$/.test(agent) ? { id: agent } : { name: agent }) as Invocation['agent_ref'];
}

/** A new session is given a key of its own, so that a repeat of the call finds it and opens no second one. */
function sessionOf(session: NonNullable<InvokeOptions['session']>): NonNullable<Invocation['session']> {
  if (typeof session === 'string') return { session_key: session };
  if (session.mode !== 'new' || session.session_key !== undefined) return session;
  return { ...session, mode: 'continue_or_create', session_key: randomKey() };
}
