import { messageOf, youngFunction } from '@aos/kernel';

/** Text that a block grew by, as one delta. */
export interface Delta {
  readonly contentIndex: number;
  readonly member: 'text' | 'thinking';
  /** UTF-16 units of the block before it. */
  readonly offset: number;
  readonly text: string;
}

/** Joined text is at most this many bytes; a longer piece leaves as it came. */
export const joinedBytesMax = 16 * 1024;

/**
 * Joins text of one block that comes in one turn of the loop (rule TP12).
 *
 * Promises: text leaves in the turn of the loop in which it came, in order, without a gap.
 */
export class JoinedDelta {
  private joined: { -readonly [Member in keyof Delta]: Delta[Member] } | null = null;
  private bytes = 0;
  private isDue = false;

  constructor(
    private readonly publish: (delta: Delta) => void,
    private readonly onTrouble: (error: unknown) => void,
  ) {}

  /** Takes the next piece; what does not go with it leaves first. */
  add(delta: Delta): void {
    const bytes = Buffer.byteLength(delta.text);
    const { joined } = this;
    const isSame = joined?.contentIndex === delta.contentIndex && joined.member === delta.member;
    if (joined && isSame && this.bytes + bytes <= joinedBytesMax) {
      joined.text += delta.text;
      this.bytes += bytes;
      return;
    }
    this.flush();
    this.joined = { ...delta };
    this.bytes = bytes;
    if (this.isDue) return;
    this.isDue = true;
    process.nextTick(this.endTurn); // behind everything that came with it
  }

  /** Publishes what is joined so far. Called before any other signal of the turn. */
  flush(): void {
    const { joined } = this;
    this.joined = null;
    if (joined) this.publish(joined);
  }

  private readonly endTurn = youngFunction((): void => {
    this.isDue = false;
    try {
      this.flush();
    } catch (error) {
      this.onTrouble(new Error(`live text was not published: ${messageOf(error)}`, { cause: error }));
    }
  });
}
