import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  Clock,
  StoreUnavailable,
  idPart,
  jsonBytes,
  messageOf,
  rfc3339,
  type Identity,
  type JsonObject,
} from '@aos/kernel';
import {
  Decisions,
  RefusalWithHeaders,
  WorkLeases,
  WorkSlots,
  actorOf,
  failpoint,
  recordUntilTaken,
  type OwnedLeases,
} from '@aos/platform';
import { notCarried, type Carried } from '../deliveries/carried.js';
import type { InvocationOpening, InvokingCaller } from '../invocation/invocation.events.js';
import { runningMax, runningPerOrganizationMax } from '../invocation/invocation.limits.js';
import { endOf } from '../records/invocation-records.js';
import { outputBytesMax } from '../deliveries/tool-result.js';
import { ActionCarrier } from './action-carrier.js';
import { invocationDecider } from '../invocation.decider.js';

const carryTriesMax = 5;
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
  /** By invocation. Nothing waits: one too many is refused. */
  private readonly slots = new WorkSlots<string>({
    running: { all: runningMax, perOrganization: runningPerOrganizationMax },
    waiting: null,
  });
  private readonly stopSignal = new AbortController();
  private readonly leases: OwnedLeases;

  constructor(
    private readonly decisions: Decisions,
    private readonly carrier: ActionCarrier,
    leases: WorkLeases,
    private readonly clock: Clock,
  ) {
    this.leases = leases.owned(
      (id) => `invocations_${id}`,
      () => [...this.slots.runningKeys].map(invocationLease),
    );
  }

  holds(invocationId: string): boolean {
    return this.slots.holds(invocationId);
  }

  /** Resolves when the invocation does not run here (any more): its record can be listed then. */
  ended(invocationId: string): Promise<void> {
    return this.slots.ended(invocationId);
  }

  hasRoom(orgId: string): boolean {
    return !this.stopSignal.signal.aborted && this.slots.hasRoom(orgId);
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
    if (!this.holds(invocationId) && !this.hasRoom(orgId)) throw tooMany();
    return this.slots.reserving(orgId, [invocationId], async () => {
      const recorded = await record();
      if (recorded) this.launch(recorded);
      return recorded;
    });
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    return this.slots.idle();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopSignal.abort(new Stopping('the process stops'));
    this.leases.close();
    await this.idle();
  }

  private launch(recorded: RecordedInvocation): void {
    const { id, org_id: orgId } = recorded.opening;
    this.slots.start(orgId, id, async () => {
      this.leases.acquire(invocationLease(id));
      try {
        await this.run(recorded);
      } catch (error) {
        this.log.warn(`${id}: ${messageOf(error)}`);
      } finally {
        this.leases.release(invocationLease(id));
      }
    });
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
    const record = () =>
      this.decisions.decide(invocationDecider.finishInvocation, idPart(opening.id), actorOf(who), { end, output });
    await recordUntilTaken(record, this.clock, this.stopSignal.signal);
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
}

function tooMany(): RefusalWithHeaders {
  return new RefusalWithHeaders(
    'rate_limit_exceeded',
    { 'retry-after': '1' },
    { scope: 'running_invocations' },
    'too many invocations are under way',
  );
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
  if (!('output' in carried.answer) || jsonBytes(carried.answer.output) <= outputBytesMax) return carried;
  return notCarried('output_too_large', `the output is over ${outputBytesMax} bytes`, {}, carried.facts);
}
