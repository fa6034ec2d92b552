import { Injectable } from '@nestjs/common';
import { Clock, ReadStore, Refusal, type JsonObject } from '@aos/kernel';
import { CursorSeal, PAGE_LIMIT_DEFAULT, listScope } from '@aos/platform';
import { changesCollection } from './memory-changes.projection.js';
import { MemoryEntries } from './memory-entries.js';
import { changesKeptMs } from './memory.limits.js';

const waitMs = 2000;
const askAgainMs = 10;

/** The change feed for readers, oldest first. */
@Injectable()
export class MemoryChanges {
  constructor(private readonly readStore: ReadStore, private readonly entries: MemoryEntries, private readonly seal: CursorSeal, private readonly clock: Clock) {}

  /**
   * Takes    the `next_cursor` of the page before; absent: the start of what is kept.
   * Gives    changes, and a position that is always there (decision G1): on an empty page it is the same place, read now.
   * Refuses  invalid_cursor; memory_cursor_expired when the position is older than what is kept (decisions G4, R37).
   */
  async page(orgId: string, agentId: string, { after, limit = PAGE_LIMIT_DEFAULT }: { after?: string; limit?: number }): Promise<JsonObject> {
    const scope = listScope(orgId, `memory-changes:${agentId}`);
    const keptFrom = this.clock.now() - changesKeptMs;
    const from = after === undefined ? { position: '', at: this.clock.now() } : placeIn(this.seal.open(after, scope));
    if (from.at < keptFrom) throw new Refusal('memory_cursor_expired', {}, 'the position is older than what is kept: read from the start, then all entries');
    await this.caughtUp();
    const now = this.clock.now();
    const { rows, next } = await this.readStore.query({
      collection: changesCollection, scope: [orgId, agentId], limit, where: [], ...(from.position === '' ? {} : { after: { value: null, key: from.position } }),
    });
    const kept = rows.filter(({ doc }) => Date.parse(String(doc.created_at)) >= keptFrom);
    const last = rows.at(-1);
    const place = last ? { position: last.key, at: next ? Math.max(keptFrom, Date.parse(String(last.doc.created_at))) : now } : { position: from.position, at: now };
    return { items: kept.map(({ doc }) => doc), has_more: next !== null, next_cursor: this.seal.seal(JSON.stringify([place.position, place.at]), scope) };
  }

  /** What was written here is read here; when the projector is behind, what is there is told. */
  private async caughtUp(): Promise<void> {
    const wanted = this.entries.lastWritten;
    const until = this.clock.monotonic() + waitMs;
    while (((await this.readStore.checkpoint(changesCollection)) ?? '') < wanted && this.clock.monotonic() < until) await this.clock.sleep(askAgainMs);
  }
}

function placeIn(text: string): { position: string; at: number } {
  const [position, at] = JSON.parse(text) as [string, number];
  return { position, at };
}
