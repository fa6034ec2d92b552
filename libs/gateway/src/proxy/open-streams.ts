import { keepsPermissions, type Clock, type Identity } from '@aos/kernel';
import type { Credentials, IdentitySource, Log } from '@aos/platform';

const checkMs = 1_000;

export interface Ways {
  /** Cuts it off. */
  end(): void;
  /** Ends it because it may not go on, with a word to the reader where there is one; absent: it is cut off. */
  revoke?(): void;
  /** Ends it between two frames, with a word to the reader that it may come back at once. */
  rotate(): void;
}

interface Open extends Required<Ways> {
  identity: Identity;
  credentials: Credentials;
}

/**
 * The streams and sockets that go through this gateway: ended within a second of the revocation of their key, the end
 * of their principal, or the loss of a permission that they were opened with.
 *
 * Who asks is worked out again when something changed in the organization, and every second; the identity source keeps
 * answers for at most 10 s, so that is the bound when word of the change is lost. While the stores cannot answer,
 * streams stay open.
 * Source: rule A2; control S21; invariant 64.
 */
export class OpenStreams {
  /** By what they were opened with: a browser token, else the key. */
  private readonly byKey = new Map<string, Set<Open>>();
  private timer: { cancel(): void } | null = null;
  private checking: Promise<void> | null = null;
  private isAskedAgain = false;
  private isRotated = false;
  private isClosed = false;

  constructor(
    private readonly identities: Pick<IdentitySource, 'identify'>,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  get count(): number {
    return [...this.byKey.values()].reduce((sum, streams) => sum + streams.size, 0);
  }

  /** Takes who opened it, with which credentials, and the ways to end it. Gives what to call when it is over. */
  add(identity: Identity, credentials: Credentials, ways: Ways): () => void {
    const open: Open = {
      identity,
      credentials,
      end: () => {
        ways.end();
      },
      revoke: () => {
        if (ways.revoke) ways.revoke();
        else ways.end();
      },
      rotate: () => {
        ways.rotate();
      },
    };
    const key = identity.token?.id ?? identity.apiKeyId ?? identity.principalId;
    const streams = this.byKey.get(key) ?? new Set<Open>();
    streams.add(open);
    this.byKey.set(key, streams);
    if (this.isClosed) open.end();
    else if (this.isRotated) open.rotate();
    this.arm();
    return () => {
      streams.delete(open);
      if (streams.size === 0 && this.byKey.get(key) === streams) this.byKey.delete(key);
    };
  }

  /** Looks at every key now: something changed. */
  recheck(): void {
    if (this.checking) {
      this.isAskedAgain = true;
      return;
    }
    this.checking = this.check().finally(() => {
      this.checking = null;
      if (!this.isAskedAgain) return;
      this.isAskedAgain = false;
      this.recheck();
    });
  }

  /** The gateway closes: readers are sent elsewhere. */
  rotate(): void {
    this.isRotated = true;
    for (const streams of [...this.byKey.values()]) for (const open of [...streams]) open.rotate();
  }

  /** Ends all of them; later ones end at once. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.timer?.cancel();
    for (const streams of [...this.byKey.values()]) for (const { end } of [...streams]) end();
    await this.checking;
  }

  private arm(): void {
    if (this.isClosed || this.byKey.size === 0) return;
    this.timer ??= this.clock.after(checkMs, () => {
      this.timer = null;
      this.recheck();
      this.arm();
    });
  }

  private async check(): Promise<void> {
    for (const [key, streams] of [...this.byKey]) {
      const [first] = streams;
      if (!first) continue;
      let now: Identity | null;
      try {
        now = await this.identities.identify(first.credentials);
      } catch (error) {
        this.log.debug('open streams could not be checked', { error });
        return;
      }
      const ended = [...streams].filter(({ identity }) => !keepsPermissions(identity, now));
      if (ended.length === 0) continue;
      this.log.info('streams closed', { reason: 'revoked', api_key_id: key, stream_count: ended.length });
      for (const { revoke } of ended) revoke();
    }
  }
}
