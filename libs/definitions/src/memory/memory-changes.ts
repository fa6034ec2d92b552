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
    const seenAt = new Map<string, string>();
    const { items, next } = await visiblePage(
      this.readStore,
      { collection: changeDocs, scope: [orgId, agentId], where: [] },
      { limit, after: from.position === '' ? null : { value: null, key: from.position }, hidesRest: true },
      ({ key, doc }) => {
        seenAt.set(key, doc.created_at);
        return Promise.resolve(reached.includes(doc.user_id) && Date.parse(doc.created_at) >= keptFrom ? doc : null);
      },
    );
    const last = next?.key ?? [...seenAt.keys()].at(-1) ?? from.position;
    const at = next === null ? now : Math.max(keptFrom, Date.parse(seenAt.get(next.key) ?? ''));
    return { items, has_more: next !== null, next_cursor: this.seal.seal(JSON.stringify([last, at]), scope) };
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

function positionIn(text: string): { position: string; at: number } {
  const [position, at] = JSON.parse(text) as [string, number];
  return { position, at };
}
