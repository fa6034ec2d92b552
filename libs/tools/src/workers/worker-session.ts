import { rfc3339, StoreUnavailable, type Clock, type Ids, type JsonObject, type Leases } from '@aos/kernel';
import { closeCode, type SocketConnection } from '@aos/platform';
import { CallProgress } from '@aos/sessions/published';
import { takes, takesAllActions, updated } from './capability.decide.js';
import { LeasedJobs, type LeasedJob } from './leased-jobs.js';
import { registrationOf, tokenOf, type Registration } from './registration.js';
import { readFrame, type Capability, type LeaseClaim, type WorkerFrame } from './frames.decide.js';
import type { Claimed, JobClaims } from './job-claims.js';
import type { Offer } from './job-offers.js';
import type { ConnectedWorker } from './worker-presence.js';
import { claimWaitMs, claimedBytesMax, claimedJobsMax } from './job/job.limits.js';

/** The parts that all sessions of a process share. */
export interface SessionParts {
  claims: JobClaims;
  leases: Leases;
  clock: Clock;
  ids: Ids;
  /** The session has a claim to be answered, or changed what it can do. */
  changed: (session: WorkerSession) => void;
  /** The session has more or fewer jobs. */
  counted: (session: WorkerSession) => void;
  /** Another connection of the same worker takes this one's place. */
  replaces: (session: WorkerSession) => void;
}

interface OpenClaim {
  messageId: string | null;
  slots: number;
  timer: { cancel(): void };
}

type FrameOf<T extends WorkerFrame['type']> = Extract<WorkerFrame, { type: T }>;

/** Silent for so long, a worker is taken to be gone; it is spoken to three times before. */
const silentMs = 60_000;
const keepaliveMs = 20_000;
/** How long a worker's name stays its own without a sign of life. */
const nameMs = 60_000;
const slotsDefault = 1;
/** The last word to a worker whose key is revoked. */
export const revokedWord: JsonObject = {
  type: 'error',
  error: { code: 'invalid_actor', message: 'the credential of the worker is not valid any more' },
};

/** One worker on one connection: what it says, in order, and what it is sent. */
export class WorkerSession {
  capability: Capability = { actionNames: null, models: null, availableSlots: null };
  private registration: Registration | null = null;
  private claim: OpenClaim | null = null;
  private readonly leased: LeasedJobs;
  private isDraining = false;
  private isLeaving = false;
  private isToldOfWork = false;
  private asksForLife = false;
  private heardAt: number;
  private readonly connectedAt: string;
  private lifeTimer: { cancel(): void };

  constructor(
    private readonly connection: SocketConnection,
    private readonly parts: SessionParts,
  ) {
    const leaseMs = parts.claims.lease.lease_duration_seconds * 1000;
    this.leased = new LeasedJobs(parts.clock, leaseMs, () => {
      parts.counted(this);
    });
    this.heardAt = parts.clock.monotonic();
    this.connectedAt = rfc3339(parts.clock.now());
    this.lifeTimer = this.armLife();
  }

  get orgId(): string {
    return this.connection.identity.orgId;
  }

  get instanceId(): string | null {
    return this.registration?.instanceId ?? null;
  }

  /** Two connections with one name and one token are one worker. */
  get leaseOwner(): string | null {
    return this.registration ? `${this.registration.leaseName} ${this.registration.leaseOwner}` : null;
  }

  get isTaking(): boolean {
    return this.registration !== null && !this.isDraining && !this.isLeaving && this.connection.isOpen;
  }

  /** What others see of it; null before it registered and after its end. */
  get connected(): ConnectedWorker | null {
    const { registration, capability, connection } = this;
    if (!registration || !connection.isOpen) return null;
    const { instanceId, name, version, concurrencyLimit } = registration;
    return {
      instanceId,
      actionNames: takesAllActions(capability) ? null : (capability.actionNames ?? []),
      models: capability.models,
      facts: {
        name,
        version,
        principalId: connection.identity.principalId,
        concurrencyLimit,
        jobs: this.leased.size,
        connectedAt: this.connectedAt,
      },
      isDraining: !this.isTaking,
    };
  }

  get hasClaim(): boolean {
    return this.claim !== null && this.claim.slots > 0 && this.isTaking && this.hasRoom;
  }

  async heard(text: string): Promise<void> {
    this.heardAt = this.parts.clock.monotonic();
    const frame = readFrame(text);
    if ('fault' in frame) {
      this.refuse('bad_request', frame.fault, frame.messageId);
      return;
    }
    if (!this.registration && frame.type !== 'worker.register' && frame.type !== 'keepalive') {
      this.refuse('not_registered', 'the first frame is worker.register', frame.messageId);
      return;
    }
    try {
      await this.handle(frame);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.refuse('service_unavailable', 'the service cannot do this now; say it again', frame.messageId);
    }
  }

  /** Answers the open claim with what of these offers the worker gets; gives whether it got some. */
  async serve(offers: readonly Offer[]): Promise<boolean> {
    const { claim, instanceId } = this;
    if (!claim || instanceId === null) return false;
    const given: Claimed[] = [];
    try {
      await this.takeFor(claim, instanceId, offers, given);
    } finally {
      // The jobs given before a fault are leased to the worker by now: they are answered or given back.
      if (given.length > 0 && !(this.claim === claim && this.answerClaim(given))) await this.giveBack(given);
    }
    return given.length > 0;
  }

  private async takeFor(
    claim: OpenClaim,
    instanceId: string,
    offers: readonly Offer[],
    given: Claimed[],
  ): Promise<void> {
    let bytes = 0;
    for (const offer of offers) {
      if (
        given.length >= Math.min(claim.slots, claimedJobsMax) ||
        bytes > claimedBytesMax ||
        !this.hasRoom ||
        this.claim !== claim
      )
        return;
      if (!takes(this.capability, offer.wanted)) continue;
      const claimed = await this.parts.claims.take(offer, this.connection.identity, instanceId);
      if (!claimed) continue;
      given.push(claimed);
      this.leased.add(claimed.jobId, { attempt: claimed.attempt, token: claimed.token, isViewed: claimed.isViewed });
      bytes += JSON.stringify(claimed.wire).length;
    }
  }

  /** The claim was answered meanwhile, or the connection is over. */
  private async giveBack(given: readonly Claimed[]): Promise<void> {
    for (const claimed of given) {
      this.leased.letGo(claimed.jobId);
      await this.parts.claims.giveBack(claimed, this.connection.identity);
    }
  }

  /** There is something to do for it; said once until it claims. */
  tellOfWork(offers: readonly Offer[]): void {
    if (
      this.isToldOfWork ||
      this.claim ||
      !this.isTaking ||
      !offers.some(({ wanted }) => takes(this.capability, wanted))
    )
      return;
    this.isToldOfWork = this.connection.send({ type: 'work.available' });
  }

  /** Tells it to stop working on a job that it holds. */
  tellOfCancel(directive: { job_id: string; reason: string; requested_at: string }): void {
    if (this.leased.get(directive.job_id)) this.connection.send({ type: 'job.cancel', ...directive });
  }

  /** The connection is about to end: the worker comes back by itself, unless it may not. */
  ending(reason: 'shutdown' | 'revoked' | 'rotate'): void {
    this.isLeaving = true;
    this.answerClaim([]);
    if (reason === 'revoked') this.connection.send(revokedWord);
    else this.connection.send({ type: 'worker.drain' });
  }

  /** Another connection took this one's place. */
  replaced(): void {
    this.isLeaving = true;
    this.answerClaim([]);
    this.connection.close(closeCode.restart, 'the worker is connected anew');
  }

  /** The connection is over. `keepsName`: the worker is there on another one. */
  async closed(keepsName: boolean): Promise<void> {
    this.isLeaving = true;
    this.leased.endProgress();
    this.lifeTimer.cancel();
    this.claim?.timer.cancel();
    this.claim = null;
    if (!this.registration || keepsName) return;
    try {
      await this.parts.leases.release(this.registration.leaseName, this.registration.leaseOwner);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error; // it ends by itself
    }
  }

  private async handle(frame: WorkerFrame): Promise<void> {
    const { messageId } = frame;
    switch (frame.type) {
      case 'worker.register':
        return this.register(frame);
      case 'worker.ready':
        this.capability = updated(this.capability, frame.capability);
        this.isToldOfWork = false;
        this.parts.changed(this);
        return;
      case 'jobs.claim': {
        this.claimJobs(frame);
        return;
      }
      case 'job.heartbeat': {
        const cancel = await this.parts.claims.renew(frame, this.connection.identity);
        const lease = cancel ? null : await this.heldOf(frame);
        if (lease) this.leased.add(frame.jobId, lease);
        else this.leased.letGo(frame.jobId);
        this.reply(messageId, { type: 'job.heartbeat.ack', job_id: frame.jobId, ...(cancel ? { cancel } : {}) });
        return;
      }
      case 'job.report': {
        const counted = await this.parts.claims.report(frame, frame, this.connection.identity);
        this.leased.letGo(frame.jobId);
        this.reply(messageId, { type: 'job.report.ack', job_id: frame.jobId, duplicate: !counted });
        if (this.claim) this.parts.changed(this);
        return;
      }
      case 'job.progress':
        return this.progress(frame);
      case 'generation.delta':
        return this.delta(frame);
      case 'worker.draining':
        this.isDraining = true;
        this.answerClaim([]);
        this.reply(messageId, { type: 'worker.draining.ack' });
        this.parts.changed(this);
        return;
      case 'keepalive':
        if (!this.asksForLife) this.reply(messageId, { type: 'keepalive' });
        this.asksForLife = false;
        return;
      case 'unknown':
        return;
    }
  }

  private async register(frame: FrameOf<'worker.register'>): Promise<void> {
    const { messageId, instanceId, concurrencyLimit, name, version, capability, ignored } = frame;
    if (this.registration && this.registration.instanceId !== instanceId) {
      this.refuse('already_registered', 'this connection belongs to another instance', messageId);
      return;
    }
    const token = tokenOf(frame, this.parts.ids);
    const registration = this.registration ?? registrationOf(frame, token, this.connection.identity);
    if (!this.registration && !(await this.isFree(registration))) {
      this.refuse('worker_instance_conflict', 'another connection bears this worker_instance_id', messageId);
      this.connection.close(closeCode.policy, 'worker_instance_conflict');
      return;
    }
    const isNew = this.registration === null;
    this.registration = { ...registration, concurrencyLimit, name, version };
    this.capability = updated(this.capability, capability);
    if (isNew) this.parts.replaces(this);
    this.reply(messageId, {
      type: 'worker.registered',
      worker_session_token: token,
      lease: this.parts.claims.lease,
      takes_all_actions: takesAllActions(this.capability),
      ...(ignored.length > 0 ? { ignored } : {}),
    });
    this.parts.changed(this);
  }

  /** A name is leased by the owner of its token; while the lease store is unavailable, it counts as free. */
  private async isFree({ leaseName, leaseOwner }: Registration): Promise<boolean> {
    try {
      return await this.parts.leases.acquire(leaseName, leaseOwner, nameMs);
    } catch (error) {
      if (error instanceof StoreUnavailable) return true;
      throw error;
    }
  }

  private claimJobs({ messageId, capability }: FrameOf<'jobs.claim'>): void {
    this.answerClaim([]);
    this.capability = updated(this.capability, capability);
    this.isToldOfWork = false;
    const timer = this.parts.clock.after(claimWaitMs, () => {
      this.answerClaim([]);
    });
    this.claim = { messageId, slots: capability.availableSlots ?? slotsDefault, timer };
    if (this.isTaking) this.parts.changed(this); // a worker that drains waits in vain, and not in a circle
  }

  private answerClaim(jobs: readonly Claimed[]): boolean {
    const { claim } = this;
    if (!claim) return false;
    this.claim = null;
    claim.timer.cancel();
    return this.reply(claim.messageId, { type: 'jobs.claimed', jobs: jobs.map(({ wire }) => wire) });
  }

  private async delta(frame: FrameOf<'generation.delta'>): Promise<void> {
    const lease = await this.leaseOf(frame);
    if (!lease) return;
    this.parts.claims.passOn(frame.jobId, lease.attempt, frame.sequence, frame.delta);
    this.reply(frame.messageId, {
      type: 'generation.delta.ack',
      job_id: frame.jobId,
      received_sequence: frame.sequence,
    });
  }

  /** Shown to viewers of the call's session only: a job without one shows nothing. */
  private async progress(frame: FrameOf<'job.progress'>): Promise<void> {
    const lease = await this.leaseOf(frame);
    if (!lease?.isViewed) return;
    lease.progress ??= new CallProgress(this.parts.clock, (progress) => {
      if (progress) this.parts.claims.passProgress(frame.jobId, { attempt: lease.attempt, progress });
    });
    lease.progress.report(frame.progress);
  }

  /** Gives what the worker holds of the job it speaks of; refuses one that it does not hold. */
  private async leaseOf(frame: FrameOf<'job.progress' | 'generation.delta'>): Promise<LeasedJob | null> {
    const lease = await this.heldOf(frame);
    if (!lease) this.refuse('lease_lost', "the job is not this worker's", frame.messageId);
    return lease;
  }

  private async heldOf(frame: LeaseClaim): Promise<LeasedJob | null> {
    const known = this.leased.get(frame.jobId);
    if (known?.token === frame.leaseToken) return known;
    const found = await this.parts.claims.leaseOf(frame, this.connection.identity);
    if (!found) return null;
    this.leased.letGo(frame.jobId);
    return this.leased.add(frame.jobId, { ...found, token: frame.leaseToken });
  }

  private get hasRoom(): boolean {
    const limit = this.registration?.concurrencyLimit ?? null;
    return limit === null || this.leased.size < limit;
  }

  private refuse(code: string, message: string, messageId: string | null): void {
    this.reply(messageId, { type: 'error', error: { code, message } });
  }

  private reply(messageId: string | null, frame: JsonObject): boolean {
    return this.connection.send(messageId === null ? frame : { ...frame, message_id: messageId });
  }

  /** Keeps the connection and the worker's name alive, and ends a connection that is silent. */
  private armLife(): { cancel(): void } {
    const { clock, leases } = this.parts;
    return clock.after(keepaliveMs, () => {
      if (clock.monotonic() - this.heardAt >= silentMs) {
        this.connection.terminate();
        return;
      }
      this.asksForLife = true;
      this.connection.send({ type: 'keepalive' });
      const { registration } = this;
      // Whether it is still held says nothing new: the connection stands, and a hint that was lost is put back.
      if (registration) leases.renew(registration.leaseName, registration.leaseOwner, nameMs).catch(() => undefined);
      this.lifeTimer = this.armLife();
    });
  }
}
