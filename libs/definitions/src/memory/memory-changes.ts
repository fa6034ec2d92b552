import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import { Clock, ReadStore, Refusal, type Identity } from '@aos/kernel';
import { CursorSeal, pageLimitDefault, listScope, visiblePage } from '@aos/platform';
import { changeDocs, changesCollection } from './memory-changes.projection.js';
import { MemoryEntries } from './memory-entries.js';
import { changesKeptMs } from './memory.limits.js';
import { partitionsOf } from './partition.decide.js';

const waitMs = 2000;
const askAgainMs = 10;

/** The change feed for readers, oldest first: what happened in partitions within their reach (rule R46). */
@Injectable()
export class MemoryChanges {
  constructor(
    private readonly readStore: ReadStore,
    private readonly entries: MemoryEntries,
    private readonly seal: CursorSeal,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes    the `next_cursor` of the page before; absent: the start of what is kept.
   * Gives    changes, and a position that is always there (rule G1): on an empty page it is the same position, read
   *          now.
   * Refuses  invalid_cursor; memory_cursor_expired when the position is older than what is kept (rules G4, R37).
   */
  async page(
    who: Identity,
    agentId: string,
    { after, limit = pageLimitDefault }: QueryOf<'listAgentMemoryChanges'>,
  ): Promise<Reply<'listAgentMemoryChanges'>> {
    const { orgId } = who;
    const scope = listScope(orgId, `memory-changes:${agentId}`);
    const keptFrom = this.clock.now() - changesKeptMs;
    const from =
      after === undefined ? { position: '', at: this.clock.now() } : positionIn(this.seal.open(after, scope));
    if (from.at < keptFrom)
      throw new Refusal(
        'memory_cursor_expired',
        {},
        'the position is older than what is kept: read from the start, then all entries',
      );
    await this.caughtUp(orgId);
    const now = this.clock.now();
    const reached = partitionsOf(who);
    let last: { key: string; createdAt: string } | null = null;
    const { items, next } = await visiblePage(
      this.readStore,
      { collection: changeDocs, scope: [orgId, agentId], where: [] },
      { limit, after: from.position === '' ? null : { value: null, key: from.position } },
      ({ key, doc }) => {
        last = { key, createdAt: doc.created_at };
        return Promise.resolve(reached.includes(doc.user_id) && Date.parse(last.createdAt) >= keptFrom ? doc : null);
      },
    );
    const resumeAt = positionAfter(from.position, last, next === null ? now : null, keptFrom);
    return {
      items,
      has_more: next !== null,
      next_cursor: this.seal.seal(JSON.stringify([resumeAt.position, resumeAt.at]), scope),
    };
  }

  /**
   * Waits for the projector, so that a process reads its own writes. After the wait the feed answers with the rows it
   * has.
   */
  private async caughtUp(orgId: string): Promise<void> {
    const wanted = this.entries.lastWritten(orgId);
    const until = this.clock.monotonic() + waitMs;
    const reached = async () => (await this.readStore.checkpoint(changesCollection, [orgId])) ?? '';
    while ((await reached()) < wanted && this.clock.monotonic() < until) await this.clock.sleep(askAgainMs);
  }
}

/**
 * Where to go on: after the row that was looked at last, out of reach or not. `readNow` is the time when the end was
 * reached, null before it.
 */
function positionAfter(
  from: string,
  last: { key: string; createdAt: string } | null,
  readNow: number | null,
  keptFrom: number,
): { position: string; at: number } {
  if (!last) return { position: from, at: readNow ?? keptFrom };
  return { position: last.key, at: readNow ?? Math.max(keptFrom, Date.parse(last.createdAt)) };
}

function positionIn(text: string): { position: string; at: number } {
  const [position, at] = JSON.parse(text) as [string, number];
  return { position, at };
}
