import { isCancel, text } from '@clack/prompts';
import type { CommandContext } from '../context/command-context.js';
import { Complaint } from '../console/complaint.js';
import { hasColours } from '../console/io.js';
import { painter, shown, shownOnLine, type Paint } from '../console/text.js';
import type { Conversation } from './conversation.js';
import { KeyWatch } from './key-watch.js';
import { askQuestions, type Interaction } from './questions.js';
import type { Turn, TurnListener } from './turn-view.js';

const openStatuses: ReadonlySet<string> = new Set(['pending', 'in_review']);

/** A conversation with a person at a terminal. */
export class TerminalChat {
  private readonly paint: Paint;
  private readonly keys: KeyWatch;
  /** The question that is asked now, and what ends the asking. */
  private asked: { id: string; over: AbortController } | null = null;
  private waiting: Interaction[] = [];
  /** Questions that were shown: a person who breaks one off is not asked it again. */
  private readonly seen = new Set<string>();
  private asking: Promise<void> = Promise.resolve();
  private isAtLineStart = true;
  /** Text that waits while a question stands on the screen; null when none does. */
  private held: string[] | null = null;
  /** What failed beside the turn: it ends the conversation once the turn has. */
  private fault: { error: unknown } | null = null;

  constructor(
    private readonly context: CommandContext,
    private readonly conversation: Conversation,
    private readonly agent: string,
    /** The person's principal: questions to others are shown and not asked. */
    private readonly principalId: string,
  ) {
    const { io } = context;
    this.paint = painter(hasColours(io.out, io.env));
    this.keys = new KeyWatch(io.input);
  }

  async run(): Promise<void> {
    const { io, connection } = this.context;
    this.write(
      `${this.paint('dim', `Chat with ${this.agent} at ${connection.url}. Ctrl-c cancels a turn, and leaves at the prompt.`)}\n`,
    );
    for (;;) {
      const message = await text({ message: 'You', input: io.input, output: io.out });
      if (isCancel(message)) break;
      if ((message ?? '').trim() !== '') await this.turn(message);
    }
    if (this.conversation.id !== null)
      this.write(
        `${this.paint('dim', `Session ${this.conversation.id}: svc sessions messages ${this.conversation.id}`)}\n`,
      );
  }

  /** One message and its answer. What the service refuses is said, and the conversation goes on. */
  private async turn(message: string): Promise<void> {
    const stopWatching = this.keys.watch(() => {
      void this.beside(this.cancel());
    });
    this.isAtLineStart = true;
    try {
      const turn = await this.conversation.say(message, this.listener());
      if (turn.status !== 'completed') this.asked?.over.abort();
      this.end(turn);
      if (turn.status === 'completed')
        for (const open of await this.conversation.openQuestions()) this.takeQuestion(open);
      await this.asking;
    } catch (error) {
      if (!(error instanceof Complaint) || this.conversation.id === null) throw error;
      this.freshLine();
      this.write(
        `${this.paint('red', shown(error.message))}\n${error.next.map((line) => `  ${shown(line)}\n`).join('')}`,
      );
    } finally {
      this.asked?.over.abort();
      this.waiting = [];
      stopWatching();
    }
    if (this.fault !== null) throw this.fault.error;
  }

  /** Goes on while the frames of the turn are read. */
  private beside(work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => {
      this.fault ??= { error };
      this.asked?.over.abort();
    });
  }

  private listener(): TurnListener {
    return {
      text: (piece) => this.write(shown(piece)),
      row: () => this.freshLine(),
      tool: (name) => {
        this.freshLine();
        this.write(`${this.paint('cyan', `[${shownOnLine(name)}]`)}\n`);
      },
      toolFailed: (name, why) => {
        this.freshLine();
        this.write(`${this.paint('red', `[${shownOnLine(`${name} failed: ${why}`)}]`)}\n`);
      },
      question: (interaction) => this.takeQuestion(interaction),
      waiting: ({ wait }) => {
        if (wait?.kind === 'interaction') void this.beside(this.takeWait(wait.interaction_id ?? ''));
      },
    };
  }

  /** A turn may wait for a question that was asked before it began. */
  private async takeWait(interactionId: string): Promise<void> {
    if (!this.seen.has(interactionId)) this.takeQuestion(await this.conversation.question(interactionId));
  }

  private takeQuestion(interaction: Interaction): void {
    const isOpen = openStatuses.has(interaction.status);
    if (!isOpen && this.asked?.id === interaction.id) this.asked.over.abort();
    if (!isOpen) this.waiting = this.waiting.filter(({ id }) => id !== interaction.id);
    if (interaction.status !== 'pending' || this.seen.has(interaction.id)) return;
    this.seen.add(interaction.id);
    if (interaction.target_user_ids?.includes(this.principalId) !== true) {
      this.freshLine();
      this.write(`${this.paint('dim', `It asks others: ${shownOnLine(interaction.title)}`)}\n`);
      return;
    }
    this.waiting.push(interaction);
    if (this.asked === null) this.asking = this.beside(this.askNext());
  }

  /** Asks the questions that wait, one after another; the frames of the turn are read meanwhile. */
  private async askNext(): Promise<void> {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      const over = new AbortController();
      this.asked = { id: next.id, over };
      try {
        await this.ask(next, over.signal);
      } catch (error) {
        if (!(error instanceof Complaint)) throw error;
        this.freshLine();
        this.write(`${this.paint('red', shown(error.message))}\n`);
      } finally {
        this.asked = null;
      }
    }
  }

  private async ask(interaction: Interaction, signal: AbortSignal): Promise<void> {
    this.freshLine();
    this.write(`${this.paint('yellow', shownOnLine(interaction.title))}\n`);
    if (typeof interaction.description === 'string') this.write(`${shown(interaction.description)}\n`);
    const resume = this.keys.pause();
    this.held = [];
    const answers = await askQuestions(interaction, this.context.io, signal).finally(() => {
      this.release();
      resume();
    });
    if (answers !== null) await this.conversation.answer(interaction.id, answers);
    else if (!signal.aborted) await this.cancel();
  }

  private async cancel(): Promise<void> {
    try {
      await this.conversation.cancel();
    } catch (error) {
      if (!(error instanceof Complaint)) throw error;
      this.write(`${this.paint('red', shown(error.message))}\n`);
    }
  }

  private end({ status, error_message: why, error_type: type }: Turn): void {
    this.freshLine();
    if (status === 'cancelled') this.write(`${this.paint('dim', 'Cancelled.')}\n`);
    if (status === 'failed')
      this.write(`${this.paint('red', `Failed: ${shown(why ?? type ?? 'no reason is given')}`)}\n`);
  }

  private freshLine(): void {
    if (!this.isAtLineStart) this.write('\n');
  }

  private write(piece: string): void {
    if (piece === '') return;
    this.isAtLineStart = piece.endsWith('\n');
    if (this.held === null) this.context.io.out.write(piece);
    else this.held.push(piece);
  }

  /** Writes what came while a question stood on the screen. */
  private release(): void {
    const pieces = this.held ?? [];
    this.held = null;
    this.context.io.out.write(pieces.join(''));
  }
}
