import { Logger } from '@nestjs/common';
import {
  StoreUnavailable,
  decodeState,
  encodeState,
  messageOf,
  sha256Hex,
  type AnyEvent,
  type Snapshots,
  type StreamKind,
} from '@aos/kernel';
import type { Folded } from './folded.js';

/** Of the text that `encodeState` writes: 1 took a caller's members `$map` and `$set` for its own. */
const textVersion = 2;

/** Snapshots of folded streams, each under the name of the fold that made it. A snapshot only saves time. */
export class FoldedSnapshots {
  private readonly log = new Logger('decisions');
  private readonly kindHashes = new WeakMap<object, string>();

  constructor(private readonly snapshots: Snapshots) {}

  /** The newest snapshot that this code's fold made; null without one, and while the store cannot answer. */
  async newest<S, E extends AnyEvent>(kind: StreamKind<S, E>, stream: string): Promise<Folded<S> | null> {
    if (!kind.snapshotEvery) return null;
    try {
      const snapshot = await this.snapshots.get(this.keyOf(kind, stream));
      if (!snapshot) return null;
      const { state, revision } = snapshot;
      return { state: decodeState<S>(state), revision, snapshotRevision: revision };
    } catch (error) {
      if (error instanceof StoreUnavailable) return null;
      throw error;
    }
  }

  /** Takes a snapshot when enough events have come since the last one; does not wait for it. */
  keepIfDue<S, E extends AnyEvent>(kind: StreamKind<S, E>, stream: string, folded: Folded<S>): void {
    if (!kind.snapshotEvery || folded.revision - folded.snapshotRevision < kind.snapshotEvery) return;
    folded.snapshotRevision = folded.revision;
    this.snapshots.put(this.keyOf(kind, stream), folded.revision, encodeState(folded.state)).catch((error: unknown) => {
      this.log.warn(`no snapshot of ${stream}: ${messageOf(error)}`);
    });
  }

  /**
   * Names the fold that made a snapshot by its state version, the versions of its events and that of its text. State
   * goldens see to it that another fold has another state version.
   */
  private keyOf<S, E extends AnyEvent>(kind: StreamKind<S, E>, stream: string): string {
    let hash = this.kindHashes.get(kind);
    if (!hash) {
      const versions = Object.entries(kind.events).map(([type, { version }]) => [type, version]);
      hash = sha256Hex(JSON.stringify([textVersion, kind.stateVersion, versions])).slice(0, 16);
      this.kindHashes.set(kind, hash);
    }
    return `${stream}@${hash}`;
  }
}
