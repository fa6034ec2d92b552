import { FairQueue, OrganizationSlots, type Clock } from '@aos/kernel';
import { inFlight, perSecondMax } from '../webhook/webhook.limits.js';

/** A hook that has something to send. */
export interface Sending {
  readonly orgId: string;
  /** Begins one delivery, and calls the function when it ended; false: it had none. */
  sendOne(ended: () => void): boolean;
}

const queuedOfOrganizationMax = 1_000;
const queuedMax = 100_000;
const secondMs = 1_000;
const paceMs = 50;

/**
 * Who may send next: so many at once in this process and for each organization, the organizations in turn and the hooks
 * of one in turn; and so many in a second for each organization, because hooks and actions may feed each other
 * (rule TE124).
 */
export class DeliverySlots {
  private readonly slots = new OrganizationSlots({ all: inFlight.process, perOrganization: inFlight.organization });
  private readonly queue = new FairQueue<Sending>(queuedOfOrganizationMax, queuedMax);
  private readonly queued = new Set<Sending>();
  /** Of each organization the times of its newest deliveries, at most so many as a second allows. */
  private readonly sentAt = new Map<string, number[]>();
  private pace: { cancel(): void } | null = null;
  private isRunning = false;

  constructor(private readonly clock: Clock) {}

  get taken(): number {
    return this.slots.taken;
  }

  /** Asks for a turn. A hook that waits for one already has it. */
  want(hook: Sending): void {
    if (this.queued.has(hook) || !this.queue.hasRoom(hook.orgId)) return;
    this.queue.push(hook.orgId, hook);
    this.queued.add(hook);
    this.run();
  }

  close(): void {
    this.pace?.cancel();
    this.queue.clear();
    this.queued.clear();
  }

  private run(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    for (let hook = this.next(); hook; hook = this.next()) {
      this.queued.delete(hook);
      this.begin(hook);
    }
    this.isRunning = false;
    if (this.queue.size > 0 && this.slots.taken < inFlight.process)
      this.pace ??= this.clock.after(paceMs, () => {
        this.pace = null;
        this.run();
      });
  }

  private next(): Sending | undefined {
    return this.queue.shift((orgId) => this.slots.hasRoom(orgId) && this.isInPace(orgId));
  }

  private begin(hook: Sending): void {
    const { orgId } = hook;
    this.slots.take(orgId);
    let isOver = false;
    const ended = () => {
      if (isOver) return;
      isOver = true;
      this.slots.free(orgId);
      this.run();
    };
    if (!hook.sendOne(ended)) return ended();
    this.noteSent(orgId);
    this.want(hook);
  }

  private isInPace(orgId: string): boolean {
    const times = this.sentAt.get(orgId);
    if (!times || times.length < perSecondMax) return true;
    return this.clock.monotonic() - (times[0] ?? 0) >= secondMs;
  }

  private noteSent(orgId: string): void {
    const now = this.clock.monotonic();
    const times = (this.sentAt.get(orgId) ?? []).filter((at) => now - at < secondMs).slice(1 - perSecondMax);
    this.sentAt.set(orgId, [...times, now]);
    for (const [other, sent] of this.sentAt) if (now - (sent.at(-1) ?? 0) >= secondMs) this.sentAt.delete(other);
  }
}
