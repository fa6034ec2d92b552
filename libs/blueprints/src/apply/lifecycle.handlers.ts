import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, notFound, rfc3339, type Identity } from '@aos/kernel';
import {
  DefinitionWriter,
  ResourceServices,
  canSee,
  requireUnprotected,
  resourceKindOf,
  resourceKinds,
  type AnyRecord,
} from '@aos/definitions/published';
import { DeleteBlueprint, SetProtection, type KeyedIdentity } from './apply.commands.js';
import { BlueprintLocks } from './blueprint-locks.js';
import { writesAtOnce } from '../blueprint/blueprint.limits.js';
import type { BlueprintIdentity } from '../blueprint/blueprint.state.js';
import type { BindingWire } from '../bindings/binding.wire.js';
import { bindingsWire } from '../bindings/bindings.decide.js';
import { BoundedPool } from '../bindings/bounded-pool.js';
import { CurrentBindings } from '../bindings/current-bindings.js';
import { boundDecider } from '../bound.decider.js';

/** Protects every resource that the blueprint binds, or lifts the protection (rule B22). */
@CommandHandler(SetProtection)
export class SetProtectionHandler implements ICommandHandler<SetProtection> {
  constructor(
    private readonly bindings: CurrentBindings,
    private readonly changes: BlueprintLocks,
    private readonly writer: DefinitionWriter,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { identity, isProtected } }: SetProtection): Promise<Reply<'setBlueprintProtection'>> {
    await requireBindings(this.bindings, who, identity);
    return this.changes.withLock(who, identity, async (lock) => {
      const bound = await boundOnce(this.bindings, who, identity);
      const others = bound.filter((record) => record.protected !== isProtected);
      await BoundedPool.each(others, { atOnce: writesAtOnce, before: () => lock.renew() }, ({ id, type }) => {
        const stamp = { principalId: who.principalId, at: rfc3339(this.clock.now()) };
        const { protectBound } = boundDecider(resourceKindOf(type));
        return this.writer.decideIfLive(protectBound, who, id, { identity, isProtected, stamp });
      });
      const items = bindingsWire(await boundOnce(this.bindings, who, identity), who);
      return { protected: isProtected, ...named(identity), items };
    });
  }
}

/**
 * Deletes the resources that the blueprint made and lets go of the rest, in reverse write order, one commit each; those
 * of one type side by side. A repeat goes on with the resources that are left.
 *
 * Refuses  blueprint_resource_protected while any of them is protected; then none is deleted.
 * Source   rules BP4, BP5, B6, B24, B25, B31.
 */
@CommandHandler(DeleteBlueprint)
export class DeleteBlueprintHandler implements ICommandHandler<DeleteBlueprint> {
  constructor(
    private readonly bindings: CurrentBindings,
    private readonly changes: BlueprintLocks,
    private readonly writer: DefinitionWriter,
    private readonly services: ResourceServices,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { identity, deletesRetained } }: DeleteBlueprint): Promise<Reply<'deleteBlueprint'>> {
    await requireBindings(this.bindings, who, identity);
    return this.changes.withLock(who, identity, async (lock) => {
      const bound = await boundOnce(this.bindings, who, identity);
      bound.forEach(requireUnprotected);
      const deleted: AnyRecord[] = [];
      const retained: AnyRecord[] = [];
      for (const resource of [...resourceKinds].reverse()) {
        const own = bound
          .filter(({ type }) => type === resource.type)
          .sort((a, b) => (`${a.binding?.key}` < `${b.binding?.key}` ? 1 : -1));
        await BoundedPool.each(own, { atOnce: writesAtOnce, before: () => lock.renew() }, (record) => {
          const isDeleted = deletesRetained || record.binding?.delete_on_destroy === true;
          (isDeleted ? deleted : retained).push(record);
          return this.remove(who, identity, record, isDeleted);
        });
      }
      return {
        status: 'deleted',
        ...named(identity),
        deleted: inDeleteOrder(deleted, who),
        retained: inDeleteOrder(retained, who),
      };
    });
  }

  private async remove(
    who: Identity,
    identity: BlueprintIdentity,
    record: AnyRecord,
    isDeleted: boolean,
  ): Promise<void> {
    const resource = resourceKindOf(record.type);
    const stamp = { principalId: who.principalId, at: rfc3339(this.clock.now()) };
    const { deleteBound, releaseBound } = boundDecider(resource);
    if (!isDeleted) {
      await this.writer.decideIfLive(releaseBound, who, record.id, { identity, stamp });
      return;
    }
    // before the delete, so that a repeat after a crash finds what is left; behind it those that came meanwhile
    await resource.removeReferences?.(this.services, who, record.id, stamp);
    await this.writer.decideIfLive(deleteBound, who, record.id, { identity, resource, stamp });
    await resource.removeReferences?.(this.services, who, record.id, stamp);
  }
}

/**
 * The resources that the blueprint binds within the caller's reach; a person's private ones are left as they are (rule
 * A30).
 */
async function boundOnce(
  bindings: CurrentBindings,
  who: Identity,
  identity: BlueprintIdentity,
  finishing = true,
): Promise<AnyRecord[]> {
  const { bound } = await bindings.of(who.orgId, identity, { finishing });
  return [...bound.values()].filter((record) => canSee(record, who));
}

/**
 * Refuses  not_found for a blueprint without bindings within the caller's reach (rules B22, B24). Writes no events.
 */
async function requireBindings(bindings: CurrentBindings, who: Identity, identity: BlueprintIdentity): Promise<void> {
  const bound = await boundOnce(bindings, who, identity, false);
  if (bound.length === 0) throw notFound('blueprint');
}

function named({ namespace, blueprintKey }: KeyedIdentity): { namespace?: string; blueprint_key: string } {
  return { ...(namespace === null ? {} : { namespace }), blueprint_key: blueprintKey };
}

function inDeleteOrder(records: readonly AnyRecord[], who: Identity): BindingWire[] {
  return records.flatMap((record) => bindingsWire([record], who));
}
