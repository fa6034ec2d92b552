import type { Client } from './client.js';
import type { Frame } from './sse.js';
import { type Block, finalStatuses, type Snapshot, type TranscriptMessage, type Turn } from './wire.js';

/**
 * What a client keeps of a session by the follow procedure (rule V2.11): records replaced by id, blocks by place,
 * deltas only where the row and block are known, streaming rows gone with the final frame of their turn.
 */
export class Transcript {
  readonly messages = new Map<string, TranscriptMessage>();
  readonly turns = new Map<string, Turn>();
  readonly interactions = new Map<string, { id: string; status: string }>();
  cursor: string | null = null;

  apply({ id, event, data }: Frame): void {
    if (id !== null) this.cursor = id;
    if (event === 'stream.ready') this.cursor = String(data['resume_cursor']);
    else if (event === 'message.upsert') this.put(record<TranscriptMessage>(data));
    else if (event === 'turn.upsert') this.putTurn(record<Turn>(data));
    else if (event === 'interaction.upsert') this.interactions.set(String(data['id']), record(data));
    else if (event.startsWith('message.')) this.applyToBlock(event, data);
  }

  /** Takes one page; on the last one local streaming rows and open interactions that are absent go. */
  applyPage(page: Snapshot, isLast: boolean): void {
    for (const message of page.messages) this.put(message);
    for (const turn of page.turns) this.putTurn(turn);
    for (const interaction of page.interactions) this.interactions.set(interaction.id, interaction);
    if (!isLast) return;
    this.cursor = page.resume_cursor;
    const kept = new Set(page.messages.map((message) => message.id));
    for (const [id, message] of this.messages)
      if (message.status === 'streaming' && !kept.has(id)) this.messages.delete(id);
    const open = new Set(page.interactions.map((interaction) => interaction.id));
    for (const [id, interaction] of this.interactions)
      if (interaction.status === 'pending' && !open.has(id)) this.interactions.delete(id);
  }

  /** The durable part, in one order, for comparing. */
  final(): { messages: TranscriptMessage[]; turns: Turn[] } {
    return {
      messages: [...this.messages.values()]
        .filter((message) => message.sequence !== null)
        .sort((left, right) => (left.sequence ?? 0) - (right.sequence ?? 0)),
      turns: [...this.turns.values()].sort((left, right) => (left.id < right.id ? -1 : 1)),
    };
  }

  private put(message: TranscriptMessage): void {
    this.messages.set(message.id, structuredClone(message));
  }

  private putTurn(turn: Turn): void {
    this.turns.set(turn.id, turn);
    if (!finalStatuses.includes(turn.status)) return;
    for (const [id, message] of this.messages)
      if (message.turn_id === turn.id && message.status === 'streaming') this.messages.delete(id);
  }

  private applyToBlock(event: string, data: Frame['data']): void {
    const message = this.messages.get(String(data['message_id']));
    const index = Number(data['content_index']);
    if (!message) return;
    if (event === 'message.block') {
      message.content[index] = structuredClone(data['block'] as Block);
      return;
    }
    const block = message.content[index];
    if (!block) return;
    if (event === 'message.delta') {
      if (typeof data['text'] === 'string') block.text = (block.text ?? '') + data['text'];
      if (typeof data['thinking'] === 'string') block.thinking = (block.thinking ?? '') + data['thinking'];
    } else if (event === 'message.block.patch') {
      for (const field of ['status', 'progress', 'resolved_action'])
        if (data[field] !== undefined) block[field] = data[field];
      if (data['progress'] === null) delete block['progress'];
    }
  }
}

function record<Row>(data: Frame['data']): Row {
  const { event_type: _name, ...fields } = data;
  return fields as Row;
}

/** Folds frames onto what a client already holds (nothing unless given). */
export function foldTranscript(frames: readonly Frame[], onto = new Transcript()): Transcript {
  for (const frame of frames) onto.apply(frame);
  return onto;
}

/** Reads the snapshot to its end, from a cursor or newest first, and gives its pages. */
export async function snapshotPages(
  api: Client,
  sessionId: string,
  { cursor, limit }: { cursor?: string; limit?: number } = {},
): Promise<Snapshot[]> {
  const pages: Snapshot[] = [];
  for (let token: string | undefined; pages.length < 2_000;) {
    const page: Snapshot = await api.get<Snapshot>(
      `/v1/sessions/${sessionId}/transcript`,
      token === undefined ? { cursor, limit } : { page_token: token, limit },
    );
    pages.push(page);
    if (!page.has_more) return pages;
    if (page.next_page_token === undefined) throw new Error('a snapshot page has more but no next_page_token');
    token = page.next_page_token;
  }
  throw new Error('a snapshot without an end');
}

/** Folds the whole snapshot. */
export async function freshTranscript(api: Client, sessionId: string, limit = 100): Promise<Transcript> {
  const transcript = new Transcript();
  const pages = await snapshotPages(api, sessionId, { limit });
  pages.forEach((page, index) => transcript.applyPage(page, index === pages.length - 1));
  return transcript;
}
