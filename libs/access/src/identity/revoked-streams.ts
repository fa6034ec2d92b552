import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, StoreUnavailable, keepsPermissions } from '@aos/kernel';
import { Sockets, SseStreams } from '@aos/platform';
import { AccessChanges } from '../changes/access-changes.js';
import { ApiKeyIdentitySource } from './api-key-identity-source.js';

/**
 * How often all open streams and sockets are checked, for keys that expire and for lost announcements (control S21).
 */
const checkEveryMs = 30_000;

/**
 * Ends open streams and sockets whose key was revoked, expired or lost a permission that it was opened with. Checks
 * after each change in the key's organization, and every 30 s.
 *
 * Source   control S21; invariant 64. In the fleet the gateway does this for the streams that pass through it.
 */
@Injectable()
export class RevokedStreams implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('streams');
  private stopListening: () => void = () => undefined;
  private timer: { cancel(): void } | null = null;
  private checking: Promise<void> = Promise.resolve();

  constructor(
    private readonly streams: SseStreams,
    private readonly keys: ApiKeyIdentitySource,
    private readonly changes: AccessChanges,
    private readonly clock: Clock,
    private readonly sockets: Sockets,
  ) {}

  onApplicationBootstrap(): void {
    this.stopListening = this.changes.onChange((orgId) => {
      this.recheck(orgId);
    });
    this.arm();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopListening();
    this.timer?.cancel();
    await this.checking;
  }

  private arm(): void {
    this.timer = this.clock.after(checkEveryMs, () => {
      this.recheck(null);
      this.arm();
    });
  }

  /** Runs one check after another; null checks every organization. */
  private recheck(orgId: string | null): void {
    this.checking = this.checking
      .then(() => this.check(orgId))
      .catch((error: unknown) => {
        if (error instanceof StoreUnavailable) this.log.warn(`open streams were not checked: ${error.message}`);
        else this.log.error(error instanceof Error ? error.stack : String(error));
      });
  }

  private async check(orgId: string | null): Promise<void> {
    for (const open of [this.streams, this.sockets]) {
      for (const [keyId, opened] of open.openKeys()) {
        if (orgId !== null && opened.orgId !== orgId) continue;
        if (!keepsPermissions(opened, await this.keys.standing(keyId))) open.closeKey(keyId);
      }
    }
  }
}
