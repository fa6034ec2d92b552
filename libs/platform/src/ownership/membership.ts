import { messageOf, type Clock, type Member, type Members } from '@aos/kernel';

/** Processes that share out sessions. */
export const sessionOwners = 'session-service';

const renewEveryMs = 5_000;
const memberForMs = 15_000;
/** A newcomer takes its share in four steps: caches fill meanwhile, and maps differ for a moment four times only. */
const steps = 4;
const risingMs = 16_000;
const stepMs = risingMs / (steps - 1);
/** Two reads of the members by all others. */
const drainMs = 2_000;

/** Share of a process that began so long ago: a quarter at first, the whole after 16 s. */
export function risenWeight(ageMs: number): number {
  return Math.min(steps, 1 + Math.floor(Math.max(0, ageMs) / stepMs)) / steps;
}

/**
 * Keeps this process a member of its group: renewed every 5 s for 15 s, and at each step of its weight.
 *
 * Does not promise: that others know of it. While the members cannot be written the process serves on; nothing rests on
 * its being known.
 */
export class Membership {
  private timer: { cancel(): void } | null = null;
  private readonly beganAt: number;
  private readonly startedAt: number;
  private draining: Promise<void> | null = null;
  private closed = false;
  private under: Promise<void> = Promise.resolve();

  constructor(
    private readonly members: Members,
    private readonly self: Pick<Member, 'address' | 'build'>,
    private readonly clock: Clock,
    private readonly warn: (message: string) => void,
    private readonly group = sessionOwners,
  ) {
    this.beganAt = clock.monotonic();
    this.startedAt = clock.now();
  }

  start(): void {
    this.renewNow();
  }

  get address(): string {
    return this.self.address;
  }

  /** Whether the process is going down: it begins nothing that another could. */
  get isDraining(): boolean {
    return this.draining !== null;
  }

  /** Says that the process owns nothing any more. With `hasHeirs` it resolves when all others may know. */
  drain(hasHeirs: boolean): Promise<void> {
    this.draining ??= this.sayDraining(hasHeirs);
    return this.draining;
  }

  /** The member is taken out. */
  async close(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    await this.under;
    await this.members.leave(this.group, this.self.address).catch(this.failed);
  }

  private async sayDraining(hasHeirs: boolean): Promise<void> {
    this.timer?.cancel();
    await this.under;
    await this.renew(0);
    if (hasHeirs) await this.clock.sleep(drainMs);
  }

  private readonly failed = (error: unknown): void => {
    this.warn(`membership: ${messageOf(error)}`);
  };

  private readonly renewNow = (): void => {
    this.under = this.renew(this.isDraining ? 0 : risenWeight(this.ageMs));
  };

  private async renew(weight: number): Promise<void> {
    const member = { ...this.self, weight, startedAt: this.startedAt };
    await this.members.renew(this.group, member, memberForMs).catch(this.failed);
    if (this.closed) return;
    this.timer?.cancel();
    this.timer = this.clock.after(this.nextMs(), this.renewNow);
  }

  private nextMs(): number {
    const { ageMs } = this;
    if (this.isDraining || risenWeight(ageMs) === 1) return renewEveryMs;
    return Math.min(renewEveryMs, stepMs - (ageMs % stepMs));
  }

  private get ageMs(): number {
    return this.clock.monotonic() - this.beganAt;
  }
}
