import type { Position } from '@aos/kernel';
import type { Portion, PortionFeed } from './feed.js';
import type { Member, OpenFeed, SharedFeed } from './shared-feed.js';

/**
 * The feed of one subscription: it reads alone until it has caught up, then as a member of the process' shared feed,
 * and alone again when it falls behind. Ends at the first trouble.
 *
 * It becomes a member before it begins to read alone, so that what comes meanwhile waits for it. What it reads alone
 * reaches at least to the place where its membership begins, because that lay in the log before.
 */
export class JoiningFeed implements PortionFeed {
  private own: PortionFeed | null = null;
  private member: Member | null = null;
  private hasCaughtUp = false;
  private closed = false;

  /** `at`: everything up to here was given. */
  constructor(
    private readonly shared: SharedFeed,
    private readonly open: OpenFeed,
    private readonly prefixes: readonly string[],
    private at: Position,
  ) {
    this.readAlone();
  }

  async next(max: number): Promise<Portion> {
    for (;;) {
      if (this.hasCaughtUp) this.meet();
      const portion = this.own ? await this.own.next(max) : await this.member?.next(max);
      if (this.closed) throw new Error('closed');
      if (!portion) {
        this.readAlone();
        continue;
      }
      const reached = portion.checkpoint ?? portion.events.at(-1)?.position ?? this.at;
      if (reached > this.at) this.at = reached;
      if (this.own && portion.caughtUp) this.hasCaughtUp = true;
      return portion;
    }
  }

  close(): void {
    this.closed = true;
    this.own?.close();
    this.member?.close();
  }

  private readAlone(): void {
    this.member?.close();
    this.member = this.shared.isRunning ? this.shared.join(this.prefixes, this.at) : null;
    this.own = this.open(this.prefixes, this.at);
  }

  /** It has caught up alone: from here on the shared feed gives what comes, or it reads alone once more to meet it. */
  private meet(): void {
    this.hasCaughtUp = false;
    const { own } = this;
    if (!own) return;
    own.close();
    this.own = null;
    if (!this.member?.isIn) {
      this.member = this.shared.join(this.prefixes, this.at);
      if (this.member.since > this.at) this.own = this.open(this.prefixes, this.at);
    }
    this.member.dropThrough(this.at);
  }
}
