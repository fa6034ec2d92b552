import type { JsonObject } from '@aos/kernel';
import type { SeenFrame } from './streams.fixture.js';

type Message = JsonObject & { content: JsonObject[] };

/** What a v2 client keeps: records by key, as clients in use fold them (rules C27, C28, C29, C30, C31). */
export class ClientFold {
  readonly messages = new Map<string, Message>();
  readonly turns = new Map<string, JsonObject>();
  readonly interactions = new Map<string, JsonObject>();
  cursor: string | undefined;

  snapshot(page: JsonObject): void {
    for (const message of page.messages as Message[]) this.messages.set(String(message.id), structuredClone(message));
    for (const turn of page.turns as JsonObject[]) this.turns.set(String(turn.id), turn);
    for (const interaction of page.interactions as JsonObject[])
      this.interactions.set(String(interaction.id), interaction);
    this.cursor = String(page.resume_cursor);
  }

  frame({ id, event, data }: SeenFrame): void {
    const { event_type: _, ...record } = data;
    switch (event) {
      case 'message.upsert':
        this.messages.set(String(data.id), structuredClone(record) as Message);
        break;
      case 'turn.upsert':
        this.turns.set(String(data.id), record);
        break;
      case 'interaction.upsert':
        this.interactions.set(String(data.id), record);
        break;
      case 'message.block.patch':
        this.patch(data);
        break;
      case 'stream.ready':
        this.cursor = String(data.resume_cursor);
        break;
      default:
        break;
    }
    if (id !== undefined) this.cursor = id;
  }

  /** Rows by sequence, turns by id, open interactions by id: what a fresh snapshot must say as well. */
  get told(): JsonObject {
    const byKey = (records: Iterable<JsonObject>, key: string) =>
      [...records].sort((a, b) => (String(a[key]).padStart(12) < String(b[key]).padStart(12) ? -1 : 1));
    return {
      messages: byKey(this.messages.values(), 'sequence'),
      turns: byKey(this.turns.values(), 'id'),
      interactions: byKey(
        [...this.interactions.values()].filter(({ status }) => status === 'pending' || status === 'in_review'),
        'id',
      ),
    };
  }

  private patch(data: JsonObject): void {
    const block = this.messages.get(String(data.message_id))?.content[Number(data.content_index)];
    if (!block) return;
    if (typeof data.status === 'string') block.status = data.status;
    if (data.progress === null) delete block.progress;
    else if (data.progress !== undefined) block.progress = data.progress;
  }
}
