import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply, Schema } from '@aos/contract';
import { Clock, Refusal, rfc3339, type Identity } from '@aos/kernel';
import {
  DefinitionWriter,
  ResourceServices,
  canSee,
  resourceKindOf,
  resourceKinds,
  type ChangeStamp,
} from '@aos/definitions/published';
import { TakenOver } from '../blueprint/blueprint.decide.js';
import type { IntendedEntry } from '../blueprint/blueprint.events.js';
import { writesAtOnce, plansMax } from '../blueprint/blueprint.limits.js';
import { entryId } from '../blueprint/blueprint.state.js';
import { bindingsWire } from '../bindings/bindings.decide.js';
import { CurrentBindings, type Current } from '../bindings/current-bindings.js';
import { planBlueprint } from '../plan/plan.decide.js';
import { PlanFactsReader } from '../plan/plan-facts.js';
import { requestedOf, type ApplyRequest, type Step } from '../plan/plan.state.js';
import { requestOf } from '../plan/request.decide.js';
import { createdRecord, isDue } from '../plan/step.decide.js';
import { ApplyBlueprint } from './apply.commands.js';
import { BlueprintLocks, type BlueprintLock } from './blueprint-locks.js';
import { changeEntry, resultWire } from './result.decide.js';
import { BoundedPool } from '../bindings/bounded-pool.js';
import { boundDecider } from '../bound.decider.js';
import { PlanMoved } from '../plan/bound.decide.js';

/** Preview and apply: the same plan, shown or carried out. */
@CommandHandler(ApplyBlueprint)
export class ApplyBlueprintHandler implements ICommandHandler<ApplyBlueprint> {
  constructor(
    private readonly facts: PlanFactsReader,
    private readonly bindings: CurrentBindings,
    private readonly changes: BlueprintLocks,
    private readonly writer: DefinitionWriter,
    private readonly services: ResourceServices,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { body, includesValues } }: ApplyBlueprint): Promise<Reply<'applyBlueprint'>> {
    const request = requestOf(resourceKinds, body);
    for (const { resource, entry, at } of requestedOf(resourceKinds, request.resources))
      await resource.blueprint.check?.(this.services, who, entry, at);
    if (body.mode === 'preview') return this.preview(who, request, includesValues);
    return this.changes.withLock(who, request.identity, (lock) => this.apply(who, request, includesValues, lock));
  }

  private async preview(
    who: Identity,
    request: ApplyRequest,
    includesValues: boolean,
  ): Promise<Reply<'applyBlueprint'>> {
    const { facts, current } = await this.facts.read(request, who, { finishing: false });
    const steps = planBlueprint(resourceKinds, request, facts, who);
    return resultWire(
      'previewed',
      request,
      steps.map((step) => changeEntry(step, { preview: true })),
      bindingsWire([...current.bound.values()], who),
      includesValues,
    );
  }

  /**
   * Carries a plan out. When a resource moved meanwhile, the plan is made anew; changes already written stay in the
   * answer.
   */
  private async apply(
    who: Identity,
    request: ApplyRequest,
    includesValues: boolean,
    lock: BlueprintLock,
  ): Promise<Reply<'applyBlueprint'>> {
    const entries = new Map<string, Schema<'BlueprintChange'>>();
    for (let planned = 1; ; planned += 1) {
      const { facts, current } = await this.facts.read(request, who, { finishing: true });
      const steps = planBlueprint(resourceKinds, request, facts, who);
      await lock.intend(intentions(steps, current));
      try {
        await this.carryOutAll(who, steps, lock, (step) => {
          const id = entryId(step.resource.type, step.entry.key);
          if (step.action !== 'unchanged' || !entries.has(id)) entries.set(id, changeEntry(step, { preview: false }));
        });
        await this.protectOthers(who, request, steps, current, lock);
      } catch (error) {
        if (!hasMoved(error)) throw error;
        if (planned < plansMax) continue;
        throw new Refusal('conflict', {}, 'the resources of this blueprint change again and again');
      }
      const after = await this.bindings.of(who.orgId, request.identity, { finishing: true });
      const changes = steps.map(
        (step) => entries.get(entryId(step.resource.type, step.entry.key)) ?? changeEntry(step, { preview: false }),
      );
      const bindings = bindingsWire([...after.bound.values()], who);
      return resultWire('applied', request, changes, bindings, includesValues);
    }
  }

  /**
   * Writes the resources, each with its binding in one commit, in the order of the steps (rule B6). Those of one type
   * run side by side, begun in their order, a rename alone because another entry may take the name that it gives up. A
   * fault leaves any part of a type written (rule TP18). All of it has ended when this returns or throws.
   */
  private async carryOutAll(
    who: Identity,
    steps: readonly Step[],
    lock: BlueprintLock,
    done: (step: Step) => void,
  ): Promise<void> {
    const pool = new BoundedPool(writesAtOnce);
    try {
      for (const [index, step] of steps.entries()) {
        if (isRename(step) || steps[index - 1]?.resource !== step.resource) await pool.ended();
        if (isDue(step)) await lock.renew();
        await pool.begin(() => this.carryOut(who, step).then(() => done(step)));
        if (isRename(step)) await pool.ended();
      }
    } finally {
      await pool.settled();
    }
    await pool.ended();
  }

  private carryOut(who: Identity, step: Step): Promise<void> {
    return isDue(step) && !step.current ? this.create(who, step) : this.change(who, step);
  }

  private async create(who: Identity, step: Step): Promise<void> {
    const { kind, secrets } = step.resource;
    const record = createdRecord(step, who.orgId, this.stamp(who));
    // no answer shows the first secret of an action; rotating it shows a new one
    const whole = secrets?.first(this.services, record).record ?? record;
    const { created, finish } = await this.writer.begin(kind, whole, who);
    if (!created) throw new PlanMoved(step.id);
    await finish();
  }

  private async change(who: Identity, step: Step): Promise<void> {
    if (!step.current || !isDue(step)) return;
    const command = { step, planned: step.current, stamp: this.stamp(who) };
    await this.writer.decide(boundDecider(step.resource).carryOut, who, step.id, command);
  }

  private stamp({ principalId }: Identity): ChangeStamp {
    return { principalId, at: rfc3339(this.clock.now()) };
  }

  /**
   * Sets protection on the whole blueprint: also on resources that the request leaves out, a person's private ones
   * apart (rule A30).
   */
  private async protectOthers(
    who: Identity,
    { protect }: ApplyRequest,
    steps: readonly Step[],
    { bound }: Current,
    lock: BlueprintLock,
  ): Promise<void> {
    if (protect === null) return;
    const done = new Set(steps.map(({ id }) => id));
    const others = [...bound.values()].filter(
      (record) => !done.has(record.id) && record.protected !== protect && canSee(record, who),
    );
    await BoundedPool.each(others, { atOnce: writesAtOnce, before: () => lock.renew() }, ({ id, type }) => {
      const command = { isProtected: protect, stamp: this.stamp(who) };
      return this.writer.decideIfLive(boundDecider(resourceKindOf(type)).protect, who, id, command);
    });
  }
}

function isRename(step: Step): boolean {
  return step.current !== null && step.current.wire.name !== step.wire.name;
}

/** The resources that a plan is about to bind anew. */
function intentions(steps: readonly Step[], { intended }: Current): IntendedEntry[] {
  return steps
    .filter(({ action }) => action === 'created' || action === 'adopted')
    .map(({ resource, entry, id, generation }) => ({
      resource_type: resource.type,
      key: entry.key,
      resource_id: id,
      name: entry.name,
      generation: generation ?? intended.get(entryId(resource.type, entry.key))?.generation ?? 0,
    }));
}

/** Whether another writer changed, deleted or took a resource or name that the plan rests on. */
function hasMoved(error: unknown): boolean {
  if (error instanceof TakenOver) return false;
  return (
    error instanceof PlanMoved ||
    (error instanceof Refusal && ['not_found', 'already_exists', 'conflict'].includes(error.code))
  );
}
