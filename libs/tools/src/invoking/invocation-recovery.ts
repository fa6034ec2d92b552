import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, idPart, rfc3339, collectionOf } from '@aos/kernel';
import { Decisions, Recoveries, serviceActor, type RecoveryLoop, type SilentOwners } from '@aos/platform';
import { invocationKind, type InvocationState } from '../invocation/invocation.state.js';
import { openInvocationsProjection } from '../invocation/invocation.projection.js';
import { InvocationRuns, invocationLease, type RecordedInvocation } from './invocation-runs.js';
import { invocationDecider } from '../invocation.decider.js';

/**
 * Finds direct invocations that lost their owner, and sends them again under their delivery ids (rule R24). Embedded,
 * these are all that do not run in this process; in the fleet, those without a lease for a full lease time while the
 * lease store answered.
 */
@Injectable()
export class InvocationRecovery implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly missing: SilentOwners;
  private readonly loop: RecoveryLoop;

  constructor(
    private readonly recoveries: Recoveries,
    private readonly decisions: Decisions,
    private readonly runs: InvocationRuns,
    private readonly clock: Clock,
  ) {
    this.missing = recoveries.silentOwners();
    this.loop = recoveries.loop({
      poll: () => this.poll(),
      forget: () => {
        this.missing.forget();
      },
      leasesOf: ({ key }) => [invocationLease(key)],
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.loop.close();
  }

  /** Looks at every invocation that is not over, once. */
  poll(): Promise<void> {
    const open = { collection: collectionOf(openInvocationsProjection), scopes: [['*']] };
    return this.missing.during(() =>
      this.loop.each(open, async ({ key, doc }) => {
        if (!this.runs.holds(key)) await this.consider(String(doc.org_id), key);
      }),
    );
  }

  private async consider(orgId: string, invocationId: string): Promise<void> {
    const askedAt = this.clock.monotonic();
    const { state } = await this.decisions.load(invocationKind, idPart(invocationId));
    if (!state.opening || state.end || !this.runs.hasRoom(orgId)) return;
    if (
      this.recoveries.soleWriter ||
      (await this.missing.isMissing(invocationLease(invocationId), state.runs, askedAt))
    )
      await this.takeOver(orgId, invocationId, state);
  }

  private async takeOver(
    orgId: string,
    invocationId: string,
    { runs: deadRun, opening }: InvocationState,
  ): Promise<void> {
    const part = idPart(invocationId);
    const actor = serviceActor(
      orgId,
      opening?.actor.principal_id ?? 'recovery',
      invocationId,
      opening?.actor.kind ?? 'system',
    );
    await this.runs.begin(orgId, invocationId, async () => {
      const [started] = await this.decisions.read(invocationKind, part, { limit: 1 });
      const command = { deadRun, now: rfc3339(this.clock.now()) };
      const { events } = await this.decisions.decide(invocationDecider.takeInvocationOver, part, actor, command);
      if (started?.type !== 'InvocationStarted' || !events.some(({ type }) => type === 'InvocationTakenOver'))
        return null;
      const recorded: RecordedInvocation = {
        opening: started.data.opening,
        caller: started.data.caller,
        input: started.data.input,
      };
      return recorded;
    });
  }
}
