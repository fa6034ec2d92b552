import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Refusal, rfc3339, type Identity, type JsonObject } from '@aos/kernel';
import { DefinitionWriter, type AnyRecord, type ChangeStamp } from '@aos/definitions/published';
import { TakenOver } from '../blueprint/blueprint.decide.js';
import type { IntendedEntry } from '../blueprint/blueprint.events.js';
import { finishedAtOnce, plansMax } from '../blueprint/blueprint.limits.js';
import { entryId } from '../blueprint/blueprint.state.js';
import { bindingsWire } from '../bindings/bindings.decide.js';
import { CurrentBindings, type Current } from '../bindings/current-bindings.js';
import { planBlueprint } from '../plan/plan.decide.js';
import { PlanFactsReader } from '../plan/plan-facts.js';
import type { ApplyRequest, Step } from '../plan/plan.state.js';
import { requestOf, type ApplyBody } from '../plan/request.decide.js';
import { createdRecord, isDue, protectionEvents, stepEvents } from '../plan/step.decide.js';
import { resourceKindOf, resourceKinds } from '../resources/resource-kinds.js';
import { BlueprintLocks, type BlueprintLock } from './blueprint-locks.js';
import { ActionSecrets } from './action-secrets.js';
import { resultWire, changeEntry } from './result.decide.js';
import { BoundedPool } from '../resources/bounded-pool.js';

export class ApplyBlueprint extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly body: ApplyBody,
  ) {
    super();
  }
}

/** A resource moved between plan and write: the plan is made anew. */
class PlanMoved extends Error {}

/** Preview and apply: the same plan, shown or carried out. */
@CommandHandler(ApplyBlueprint)
export class ApplyBlueprintHandler implements ICommandHandler<ApplyBlueprint> {
  constructor(
    private readonly facts: PlanFactsReader,
    private readonly bindings: CurrentBindings,
    private readonly changes: BlueprintLocks,
    private readonly writer: DefinitionWriter,
    private readonly actionSecrets: ActionSecrets,
    private readonly clock: Clock,
  ) {}

  async execute({ who, body }: ApplyBlueprint): Promise<JsonObject> {
    const request = requestOf(resourceKinds, body);
    await this.actionSecrets.require(who, request.resources);
    if (body.mode === 'preview') return this.preview(who, request);
    return this.changes.withLock(who, request.identity, (lock) => this.apply(who, request, lock));
  }

  private async preview(who: Identity, request: ApplyRequest): Promise<JsonObject> {
    const { facts, current } = await this.facts.read(request, who, { finishing: false });
    const steps = planBlueprint(resourceKinds, request, facts, who);
    return resultWire(
      'previewed',
      request,
      steps.map((step) => changeEntry(step, { preview: true })),
      bindingsWire([...current.bound.values()], who),
    );
  }

  /**
   * Carries a plan out. When a resource moved meanwhile, the plan is made anew; changes already written stay in the
   * answer.
   */
  private async apply(who: Identity, request: ApplyRequest, lock: BlueprintLock): Promise<JsonObject> {
    const entries = new Map<string, JsonObject>();
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
      return resultWire('applied', request, changes, bindingsWire([...after.bound.values()], who));
    }
  }

  /**
   * Writes one resource after the other, each with its binding in one commit, in the order of the steps (rule B6).
   * Within one type, the rest of a create after its commit point runs in the background; all of it has ended when this
   * returns or throws.
   */
  private async carryOutAll(
    who: Identity,
    steps: readonly Step[],
    lock: BlueprintLock,
    done: (step: Step) => void,
  ): Promise<void> {
    const pool = new BoundedPool(finishedAtOnce);
    try {
      for (const [index, step] of steps.entries()) {
        const isCreate = isDue(step) && !step.current;
        if (!isCreate || steps[index - 1]?.resource !== step.resource) await pool.ended();
        if (isDue(step)) await lock.renew();
        if (isCreate)
          await this.create(who, step, pool, () => {
            done(step);
          });
        else
          await this.change(who, step).then(() => {
            done(step);
          });
      }
    } catch (error) {
      await pool.ended();
      throw error;
    }
    await pool.ended();
  }

  private async create(who: Identity, step: Step, pool: BoundedPool, done: () => void): Promise<void> {
    const record = this.actionSecrets.completed(createdRecord(step, who.orgId, this.stamp(who)));
    const { created, finish } = await this.writer.begin(step.resource.kind, record, who);
    if (!created) throw new PlanMoved(step.id);
    await pool.begin(() => finish().then(done));
  }

  private async change(who: Identity, step: Step): Promise<void> {
    if (!step.current || !isDue(step)) return;
    const { version } = step.current;
    const stamp = this.stamp(who);
    await this.writer.change(step.resource.kind, who, step.id, (record) => {
      if (record.version !== version) throw new PlanMoved(step.id);
      return stepEvents(step, record, stamp);
    });
  }

  private stamp({ principalId }: Identity): ChangeStamp {
    return { principalId, at: rfc3339(this.clock.now()) };
  }

  /** Sets protection on the whole blueprint: also on resources that the request leaves out. */
  private async protectOthers(
    who: Identity,
    { protect }: ApplyRequest,
    steps: readonly Step[],
    { bound }: Current,
    lock: BlueprintLock,
  ): Promise<void> {
    if (protect === null) return;
    const done = new Set(steps.map(({ id }) => id));
    for (const { id, type, protected: isProtected } of bound.values()) {
      if (done.has(id) || isProtected === protect) continue;
      await lock.renew();
      const stamp = this.stamp(who);
      await this.writer.changeIfLive(resourceKindOf(type).kind, who, id, (record: AnyRecord) =>
        protectionEvents(record, protect, stamp),
      );
    }
  }
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
