import type { Frame } from '../connection/service.js';
import type { Interaction } from './questions.js';

type Block = {
  type: string;
  text?: string;
  name?: string;
  id?: string;
  tool_use_id?: string;
  is_error?: boolean;
  content?: unknown;
};
type Row = { id: string; role: string; content: Block[]; status: string; turn_id?: string | null };
export type Turn = {
  id: string;
  status: string;
  error_type?: string;
  error_message?: string;
  wait?: { kind: string; interaction_id?: string };
};

type BlockAddress = { message_id: string; content_index: number };
/** Frames of the v2 stream that a chat looks at; others are passed over. */
type KnownFrame =
  | ({ event_type: 'message.delta'; text?: string } & BlockAddress)
  | ({ event_type: 'message.block'; block: Block } & BlockAddress)
  | ({ event_type: 'message.upsert' } & Row)
  | ({ event_type: 'interaction.upsert' } & Interaction)
  | ({ event_type: 'turn.upsert' } & Turn);

const finalStatuses: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

/** What a chat shows of one turn. */
export interface TurnListener {
  /** Text of the agent that goes on where the last one ended. */
  text(text: string): void;
  /** A row of the agent is whole. */
  row(text: string): void;
  tool(name: string): void;
  toolFailed(name: string, why: string): void;
  question(interaction: Interaction): void;
  /** The turn waits for something outside. */
  waiting(turn: Turn): void;
}

/** Folds the frames of one turn: each character of the agent's text is given once, however its frames come. */
export class TurnView {
  /** Text of each block as the frames say it, by row and index: a stream that was cut begins a little behind. */
  private readonly said = new Map<string, string>();
  /** What was given of each block. */
  private readonly given = new Map<string, string>();
  private readonly whole = new Set<string>();
  private readonly tools = new Set<string>();
  /** Names of the tools by the calls whose result did not come yet. */
  private readonly called = new Map<string, string>();

  constructor(
    private readonly turnId: string,
    private readonly listener: TurnListener,
  ) {}

  /** Takes one frame; gives the turn once it is final. */
  take({ data }: Frame): Turn | null {
    const frame = data as KnownFrame;
    switch (frame.event_type) {
      case 'message.delta':
        this.say(blockKeyOf(frame), (this.said.get(blockKeyOf(frame)) ?? '') + (frame.text ?? ''));
        return null;
      case 'message.block':
        this.takeBlock(blockKeyOf(frame), frame.block);
        return null;
      case 'message.upsert':
        this.takeRow(frame);
        return null;
      case 'interaction.upsert':
        this.listener.question(frame);
        return null;
      case 'turn.upsert':
        return this.takeTurn(frame);
      default:
        return null;
    }
  }

  private takeTurn(turn: Turn): Turn | null {
    if (turn.id !== this.turnId) return null;
    if (turn.status === 'waiting') this.listener.waiting(turn);
    return finalStatuses.has(turn.status) ? turn : null;
  }

  private takeRow({ id, role, content, status, turn_id: turnId }: Row): void {
    if (turnId !== this.turnId || this.whole.has(id)) return;
    if (role === 'user') this.takeResults(content);
    if (role !== 'assistant') return;
    content.forEach((block, index) => {
      this.takeBlock(`${id} ${index}`, block);
    });
    if (status === 'streaming') return;
    this.whole.add(id);
    this.listener.row(content.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join(''));
  }

  private takeResults(content: readonly Block[]): void {
    for (const { type, tool_use_id: callId = '', is_error: isError, content: said } of content) {
      const name = type === 'tool_result' ? this.called.get(callId) : undefined;
      this.called.delete(callId);
      if (name !== undefined && isError === true) this.listener.toolFailed(name, reasonIn(said));
    }
  }

  private takeBlock(blockKey: string, { type, text, name, id }: Block): void {
    if (type === 'text') this.say(blockKey, text ?? '');
    if (type === 'tool_use' && name !== undefined && !this.tools.has(blockKey)) {
      this.tools.add(blockKey);
      if (id !== undefined) this.called.set(id, name);
      this.listener.tool(name);
    }
  }

  private say(blockKey: string, text: string): void {
    this.said.set(blockKey, text);
    const given = this.given.get(blockKey) ?? '';
    const more = text.slice(given.length);
    if (more === '') return;
    this.given.set(blockKey, given + more);
    this.listener.text(more);
  }
}

const reasonMax = 200;

/** Why a call failed: the message of an error of the service, else the beginning of what came back. */
function reasonIn(said: unknown): string {
  const text = Array.isArray(said)
    ? said.map((block: Block) => block.text ?? '').join(' ')
    : typeof said === 'string'
      ? said
      : JSON.stringify(said ?? '');
  return (refusalIn(text) ?? text).slice(0, reasonMax);
}

function refusalIn(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message : null;
  } catch {
    return null;
  }
}

function blockKeyOf({ message_id: row, content_index: index }: BlockAddress): string {
  return `${row} ${index}`;
}
