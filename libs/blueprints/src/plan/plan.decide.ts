import { badRequest, namingIssues, Refusal, type Issue, type Json, type JsonObject } from '@aos/kernel';
import {
  canSee,
  differingFields,
  requireCustody,
  type AnyKind,
  type AnyRecord,
  type Binding,
  type Entry,
  type Reference,
} from '@aos/definitions/published';
import { conflictsMax } from '../blueprint/blueprint.limits.js';
import { entryId } from '../blueprint/blueprint.state.js';
import {
  nameId,
  referredId,
  requestedOf,
  type ApplyRequest,
  type Conflict,
  type Difference,
  type PlanCaller,
  type PlanFacts,
  type Step,
} from './plan.state.js';

/**
 * Gives    what an apply would do, entry by entry in write order; preview and apply share this planner.
 *
 * Takes    the request, the present state of all that it touches, and who asks.
 * Gives    one step for each entry.
 * Refuses  bad_request for a fault against the resources that exist; blueprint_reference_not_found {reference,
 *          resource_type, key}; blueprint_conflict with the first reason in its details and every one in
 *          `details.conflicts`.
 * Source   rules BP1, BP2, BP3, B5, B6, B9, B10, B11, B12, B13, B14, B15, B16, B17, B18, B19, B20, B21.
 */
export function planBlueprint(
  resources: readonly AnyKind[],
  request: ApplyRequest,
  facts: PlanFacts,
  who: PlanCaller,
): Step[] {
  const planning: Planning = {
    request,
    facts,
    who,
    steps: [],
    ids: new Map(),
    names: new Map(),
    issues: [],
    missing: [],
    conflicts: [],
  };
  for (const { resource, entry, at } of requestedOf(resources, request.resources))
    planEntry(planning, resource, entry, at);
  const { issues, missing, conflicts, steps } = planning;
  if (issues.length > 0) throw badRequest(issues);
  if (missing[0]) throw new Refusal('blueprint_reference_not_found', missing[0], 'a reference leads to no resource');
  if (conflicts.length > 0) throw conflictOf(conflicts);
  return steps;
}

interface Planning {
  request: ApplyRequest;
  facts: PlanFacts;
  who: PlanCaller;
  steps: Step[];
  /** `entryId` -> id of the entry's resource, for references inside the request. */
  ids: Map<string, string>;
  /** `nameId` -> the holder of the name after the steps so far; null: the name was given up. */
  names: Map<string, { id: string; binding: Binding } | null>;
  issues: Issue[];
  missing: JsonObject[];
  conflicts: Conflict[];
}

function planEntry(planning: Planning, resource: AnyKind, entry: Entry, at: string): void {
  const { facts, conflicts } = planning;
  const own = entryId(resource.type, entry.key);
  const faultsBefore = conflicts.length;
  const bound = facts.bound.get(own) ?? null;
  if (bound && !canSee(bound, planning.who)) {
    // a person made the resource private since it was bound (rule A30)
    conflict(planning, resource, entry, { reason: 'unsafe_adoption' });
    return;
  }
  const found = bound ?? adoptable(planning, resource, entry);
  const fresh = facts.newIds.get(own);
  const id = found?.id ?? fresh?.id;
  if (id !== undefined) planning.ids.set(own, id);
  planning.issues.push(...(resource.blueprint.issuesAgainst?.(entry, found?.wire ?? null, at) ?? []));
  if (found?.wire.name !== entry.name) planning.issues.push(...namingIssues(entry.name, `${at}/name`));
  const skillIds = resolveSkills(planning, resource, entry, at);
  if (found) checkFixed(planning, resource, entry, found);
  if (bound) checkRename(planning, resource, entry, bound);
  if (conflicts.length > faultsBefore || id === undefined) return;
  const wire = resource.blueprint.configured(found?.wire ?? resource.blueprint.blank(entry), entry, skillIds);
  const differences = found ? differencesOf(resource, found.wire, wire) : [];
  const action = !found ? 'created' : !bound ? 'adopted' : differences.length > 0 ? 'updated' : 'unchanged';
  const binding = bindingOf(planning, entry, bound, action === 'created');
  const isProtected = planning.request.protect ?? bound?.protected ?? false;
  planning.steps.push({
    resource,
    entry,
    action,
    id,
    generation: found ? null : (fresh?.generation ?? 0),
    current: found,
    wire,
    differences,
    binding,
    isProtected,
  });
  if (found && found.wire.name !== entry.name) planning.names.set(nameId(resource.type, found.wire.name), null);
  planning.names.set(nameId(resource.type, entry.name), { id, binding });
}

/** The unmanaged resource of an entry's name that may be adopted; null when there is none (rules B14, B15). */
function adoptable(planning: Planning, resource: AnyKind, entry: Entry): AnyRecord | null {
  const { facts, who } = planning;
  const name = nameId(resource.type, entry.name);
  const planned = planning.names.get(name);
  if (planned === null) return null;
  if (planned) {
    conflict(planning, resource, entry, { reason: 'name_taken', owner: ownerOf(planned.binding) });
    return null;
  }
  const holders = facts.holders.get(name) ?? [];
  const [holder] = holders;
  if (!holder) return null;
  const candidates = visible(holders, who);
  if (holders.length > 1) conflict(planning, resource, entry, { reason: 'ambiguous_name', ...candidates });
  else if (holder.binding && canSee(holder, who))
    conflict(planning, resource, entry, { reason: 'managed_elsewhere', ...candidates, owner: ownerOf(holder.binding) });
  else if (!manages(holder, who)) conflict(planning, resource, entry, { reason: 'unsafe_adoption', ...candidates });
  else return holder;
  return null;
}

function checkFixed(planning: Planning, resource: AnyKind, entry: Entry, found: AnyRecord): void {
  for (const field of resource.blueprint.fixedFields?.(found.wire, entry) ?? []) {
    conflict(planning, resource, entry, { reason: 'immutable_field', field, ...visible([found], planning.who) });
  }
}

/** A known key with another name renames its resource, if no other resource has the name (rule B19). */
function checkRename(planning: Planning, resource: AnyKind, entry: Entry, bound: AnyRecord): void {
  if (bound.wire.name === entry.name) return;
  const name = nameId(resource.type, entry.name);
  const planned = planning.names.get(name);
  if (planned === null) return;
  if (planned) {
    conflict(planning, resource, entry, { reason: 'name_taken', owner: ownerOf(planned.binding) });
    return;
  }
  const others = (planning.facts.holders.get(name) ?? []).filter(({ id }) => id !== bound.id);
  const owner = others.find((other) => canSee(other, planning.who))?.binding;
  if (others.length > 0)
    conflict(planning, resource, entry, {
      reason: 'name_taken',
      ...visible(others, planning.who),
      ...(owner ? { owner: ownerOf(owner) } : {}),
    });
}

/** The ids that an entry's references lead to, in order; undefined when it has none. */
function resolveSkills(planning: Planning, resource: AnyKind, entry: Entry, at: string): string[] | undefined {
  const references = resource.blueprint.skills?.(entry);
  if (!references) return undefined;
  const ids: string[] = [];
  for (const [index, reference] of references.entries()) {
    const found = lead(planning, reference);
    if (found.length === 0) {
      planning.missing.push({
        reference: structuredClone(reference) as JsonObject,
        resource_type: resource.type,
        key: entry.key,
      });
    } else if (found.length > 1) {
      conflict(planning, resource, entry, {
        reason: 'ambiguous_reference',
        field: `skills.${index}`,
        candidates: found,
      });
    } else if (found[0] !== undefined && ids.includes(found[0])) {
      planning.issues.push({ path: `${at}/skills/${index}`, message: 'leads to the same skill as one before' });
    } else {
      ids.push(...found);
    }
  }
  return ids;
}

/** The skill ids that a reference leads to: none, one, or several (rules B9, B10). */
function lead({ ids, facts, who }: Planning, reference: Reference): string[] {
  if (reference.id !== undefined) {
    const skill = facts.skills.get(reference.id);
    return skill && canSee(skill, who) ? [skill.id] : [];
  }
  if (reference.key !== undefined) {
    const own = entryId('skill', reference.key);
    const id = ids.get(own);
    if (id !== undefined) return [id];
    const bound = facts.bound.get(own);
    return bound && canSee(bound, who) ? [bound.id] : [];
  }
  if (!reference.blueprint_ref) return [];
  const { namespace, key } = reference.blueprint_ref;
  return (facts.foreign.get(referredId(namespace ?? null, key)) ?? [])
    .filter((skill) => canSee(skill, who))
    .map(({ id }) => id);
}

function bindingOf({ request }: Planning, entry: Entry, bound: AnyRecord | null, isCreated: boolean): Binding {
  const { identity, version } = request;
  return {
    namespace: identity.namespace,
    blueprint_key: identity.blueprintKey,
    blueprint_version: version ?? bound?.binding?.blueprint_version ?? null,
    key: entry.key,
    delete_on_destroy: bound?.binding?.delete_on_destroy ?? isCreated,
  };
}

/** The stored fields that differ, under the names that an entry has for them, sorted. */
function differencesOf(
  { blueprint: { fieldNames = {} } }: AnyKind,
  current: AnyRecord['wire'],
  next: AnyRecord['wire'],
): Difference[] {
  const was: Readonly<Record<string, unknown>> = { ...current };
  const is: Readonly<Record<string, unknown>> = { ...next };
  return differingFields(current, next)
    .flatMap((stored) => {
      const field = Object.hasOwn(fieldNames, stored) ? (fieldNames[stored] ?? null) : stored;
      if (field === null) return [];
      return [{ field, before: (was[stored] ?? null) as Json, after: (is[stored] ?? null) as Json }];
    })
    .sort((one, other) => (one.field < other.field ? -1 : 1));
}

function manages(record: AnyRecord, who: PlanCaller): boolean {
  try {
    requireCustody(record, who);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function visible(records: readonly AnyRecord[], who: PlanCaller): { candidates?: string[] } {
  const candidates = records.filter((record) => canSee(record, who)).map(({ id }) => id);
  return candidates.length > 0 ? { candidates } : {};
}

function ownerOf({ namespace, blueprint_key: blueprintKey, key }: Binding): JsonObject {
  return {
    ...(namespace === null ? {} : { namespace }),
    ...(blueprintKey === null ? {} : { blueprint_key: blueprintKey }),
    key,
  };
}

function conflict(
  planning: Planning,
  resource: AnyKind,
  entry: Entry,
  rest: Omit<Conflict, 'resource_type' | 'key'>,
): void {
  planning.conflicts.push({ resource_type: resource.type, key: entry.key, ...rest });
}

const sentences: Readonly<Record<Conflict['reason'], string>> = {
  ambiguous_name: 'several resources bear the name',
  immutable_field: 'the field is fixed',
  managed_elsewhere: 'the resource of this name is bound already',
  unsafe_adoption: 'the resource of this name cannot be adopted by this caller',
  name_taken: 'the name is taken',
  ambiguous_reference: 'a reference leads to several resources',
};

function conflictOf(conflicts: readonly Conflict[]): Refusal {
  const listed = conflicts.slice(0, conflictsMax).map((one) => ({ ...one }));
  const [first] = conflicts;
  if (!first) throw new Error('a conflict without a reason');
  return new Refusal(
    'blueprint_conflict',
    { ...listed[0], conflicts: listed },
    `${first.resource_type} ${first.key}: ${sentences[first.reason]}`,
  );
}
