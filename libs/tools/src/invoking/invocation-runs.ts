import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  Clock,
  Ids,
  Leases,
  StoreUnavailable,
  idPart,
  rfc3339,
  type Identity,
  type JsonObject,
  messageOf,
} from '@aos/kernel';
import { Decisions, OwnedLeases, RefusalWithHeaders, Settings, actorOf, failpoint } from '@aos/platform';
import { notCarried, type Carried } from '../deliveries/carried.js';
import type { InvocationOpening, InvokingCaller } from '../invocation/invocation.events.js';
import { runningMax, runningPerOrganizationMax } from '../invocation/invocation.limits.js';
import { invocationKind } from '../invocation/invocation.state.js';
import { endOf } from '../records/invocation-records.js';
import { outputBytesMax } from '../deliveries/tool-result.js';
import { ActionCarrier } from './action-carrier.js';
import { finishInvocation } from './invoking.decide.js';

const carryTriesMax = 5;
const recordTriesMax = 300;
const retryBaseMs = 1000;
const retryMaxMs = 8000;

/** A recorded direct invocation that this process carries out. */
export interface RecordedInvocation {
  opening: InvocationOpening;
  caller: InvokingCaller;
  input: JsonObject;
}

/** This process goes down: the invocation stays as it is recorded. */
class Stopping extends Error {}

/** Lease that hints who carries an invocation out. */
export function invocationLease(invocationId: string): string {
  return `invocation:${invocationId}`;
}

/** Carries direct invocations out, apart from the requests that began them: a caller that leaves changes nothing. */
@Injectable()
export class InvocationRuns implements OnApplicationShutdown {
  private readonly log = new Logger('invocations');
  /** Invocation -> organization: what runs here or is being recorded. */
  private readonly owned = new Map<string, string>();
  private readonly running = new Map<string, Promise<void>>();
  private readonly perOrganization = new Map<string, number>();
  private readonly stopSignal = new AbortController();
  private readonly leases: OwnedLeases;

  constructor(
    private readonly decisions: Decisions,
    private readonly carrier: ActionCarrier,
    leases: Leases,
    private readonly clock: Clock,
    ids: Ids,
    @Inject(Settings) settings: Settings,
  ) {
    this.leases = new OwnedLeases(leases, clock, {
      owner: `invocations_${ids.ulid()}`,
      leaseMs: settings.leaseSeconds * 1000,
      names: () => [...this.running.keys()].map(invocationLease),
    });
  }

  holds(invocationId: string): boolean {
    return this.owned.has(invocationId);
  }

  /** Resolves when the invocation does not run here (any more): its record can be listed then. */
  async ended(invocationId: string): Promise<void> {
    await this.running.get(invocationId);
  }

  hasRoom(orgId: string): boolean {
    return (
      !this.stopSignal.signal.aborted &&
      this.owned.size < runningMax &&
      (this.perOrganization.get(orgId) ?? 0) < runningPerOrganizationMax
    );
  }

  /**
   * Runs `record`, which may begin or take over the invocation, and carries out what it gives; meanwhile recovery in
   * this process does not take it for lost.
   *
   * Refuses  rate_limit_exceeded when the organization, or all together, have as many under way as one process carries
   *          out: endpoints of one organization that hang do not delay other organizations (invariant 28).
   */
  async begin<Recorded extends RecordedInvocation | null>(
    orgId: string,
    invocationId: string,
    record: () => Promise<Recorded>,
  ): Promise<Recorded> {
    const reserved = !this.owned.has(invocationId);
    if (reserved) this.reserve(orgId, invocationId);
    let launched = false;
    try {
      const recorded = await record();
      if (recorded) {
        this.launch(recorded);
        launched = true;
      }
      return recorded;
    } finally {
      if (reserved && !launched && !this.running.has(invocationId)) this.release(invocationId);
    }
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running.values());
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopSignal.abort(new Stopping('the process stops'));
    this.leases.close();
    await this.idle();
  }

  private reserve(orgId: string, invocationId: string): void {
    if (!this.hasRoom(orgId)) {
      throw new RefusalWithHeaders(
        'rate_limit_exceeded',
        { 'retry-after': '1' },
        { scope: 'running_invocations' },
        'too many invocations are under way',
      );
    }
    this.hold(orgId, invocationId);
  }

  private hold(orgId: string, invocationId: string): void {
    if (this.owned.has(invocationId)) return;
    this.owned.set(invocationId, orgId);
    this.perOrganization.set(orgId, (this.perOrganization.get(orgId) ?? 0) + 1);
  }

  private release(invocationId: string): void {
    const orgId = this.owned.get(invocationId);
    if (orgId === undefined) return;
    this.owned.delete(invocationId);
    const left = (this.perOrganization.get(orgId) ?? 1) - 1;
    if (left > 0) this.perOrganization.set(orgId, left);
    else this.perOrganization.delete(orgId);
  }

  private launch(recorded: RecordedInvocation): void {
    const { id, org_id: orgId } = recorded.opening;
    this.hold(orgId, id);
    this.leases.acquire(invocationLease(id));
    const work = this.run(recorded)
      .catch((error: unknown) => {
        this.trouble(id, error);
      })
      .then(() => {
        this.running.delete(id);
        this.release(id);
        this.leases.release(invocationLease(id));
      });
    this.running.set(id, work);
  }

  private async run(recorded: RecordedInvocation): Promise<void> {
    const { opening } = recorded;
    const who = callerOf(recorded);
    failpoint('before-invocation');
    const carried = await this.carry(recorded, who);
    if (!carried) return;
    failpoint('after-invocation');
    const output = 'output' in carried.answer ? carried.answer.output : null;
    const end = endOf(carried, rfc3339(this.clock.now()));
    for (let tries = 1; ; tries += 1) {
      try {
        await this.decisions.run(invocationKind, idPart(opening.id), actorOf(who), (past) =>
          finishInvocation({ end, output }, past),
        );
        return;
      } catch (error) {
        // the effect has happened: a log that does not answer for a while must not make it happen again
        if (!(error instanceof StoreUnavailable) || tries >= recordTriesMax || this.stopSignal.signal.aborted)
          throw error;
        await this.clock.sleep(retryBaseMs);
      }
    }
  }

  /** Null when the process stops: the process that takes the invocation over sends it again under its delivery id. */
  private async carry(
    { opening: { id, action, delivery_id: deliveryId }, input }: RecordedInvocation,
    who: Identity,
  ): Promise<Carried | null> {
    const { signal } = this.stopSignal;
    for (let tries = 1; ; tries += 1) {
      try {
        return withinSize(await this.carrier.carryOut({ who, action, input, deliveryId }, signal));
      } catch (error) {
        if (signal.aborted) return null;
        if (!(error instanceof StoreUnavailable)) {
          this.log.error(`${id}: ${error instanceof Error ? error.stack : String(error)}`);
          return notCarried('internal_error', 'the invocation broke off by a fault of the service');
        }
        if (tries >= carryTriesMax) return notCarried('service_unavailable', 'the service could not carry it out');
        await this.clock.sleep(Math.min(retryMaxMs, retryBaseMs * 2 ** tries));
      }
    }
  }

  private trouble(invocationId: string, error: unknown): void {
    this.log.warn(`${invocationId}: ${messageOf(error)}`);
  }
}

function callerOf({ opening, caller }: RecordedInvocation): Identity {
  return {
    orgId: opening.org_id,
    principalId: opening.actor.principal_id,
    kind: opening.actor.kind,
    apiKeyId: caller.api_key_id,
    permissions: new Set(caller.permissions),
    roles: caller.roles,
    cap: caller.cap,
    requestId: opening.correlation_id,
    ip: caller.ip,
  };
}

/** Source: rule L18. */
function withinSize(carried: Carried): Carried {
  if (!('output' in carried.answer) || Buffer.byteLength(JSON.stringify(carried.answer.output)) <= outputBytesMax)
    return carried;
  return notCarried('output_too_large', `the output is over ${outputBytesMax} bytes`, {}, carried.facts);
}
