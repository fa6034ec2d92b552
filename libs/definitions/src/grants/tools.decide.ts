import type { Schema } from '@aos/contract';
import type { Identity, Owner } from '@aos/kernel';
import type { ActionSelector, AgentDefinition } from '../agent/agent.events.js';
import type { SkillRecord } from '../skill/skill.state.js';
import { canSee } from '../definition/custody.decide.js';
import type { CatalogAction } from './catalog-action.wire.js';

type Caller = Pick<Identity, 'orgId' | 'principalId' | 'kind' | 'permissions'>;

/** Built-in actions are shown to all callers, custom ones to the callers within their reach. */
export function shownTo({ id = '', owner, visibility = 'organization' }: CatalogAction, who: Caller): boolean {
  return !owner || canSee({ id, org_id: who.orgId, owner, visibility, members: [] }, who);
}

/**
 * Whether an agent may use an action that a selector names: built-in ones always; custom ones in its own reach or of
 * its owner. Takes the agent as a caller.
 */
export function withinAgentReach(action: CatalogAction, agentOwner: Owner, agent: Caller): boolean {
  const { owner } = action;
  return (
    shownTo(action, agent) || (owner?.kind === 'person' && agentOwner.kind === 'person' && owner.id === agentOwner.id)
  );
}

/** What one selector expanded to. */
export interface ResolvedSelector {
  selector: ActionSelector;
  members: string[];
}

/** Tools that an invoked skill never takes away (rule R19). */
const skillExempt = ['svc.memory.', 'svc.skill.'];

/**
 * Whether a selector names an action: by its name, by a dotted prefix of it, by its integration, any custom one (or one
 * by name), or all.
 *
 * Source   rule R3.
 */
export function selects(
  { selector_type: type, selector }: ActionSelector,
  action: Pick<CatalogAction, 'name' | 'integration' | 'source'>,
): boolean {
  const name = selector.trim();
  switch (type) {
    case 'exact':
      return action.name === name;
    case 'group':
      return action.name === name || action.name.startsWith(name.endsWith('.') ? name : `${name}.`);
    case 'platform':
      return action.integration === name || (action.source === 'platform' && action.name.startsWith(`${name}.`));
    case 'custom':
      return action.source === 'custom' && (name === '' || name === '*' || action.name === name);
    case 'wildcard':
      return true;
  }
}

/**
 * The actions that an agent is granted, in the catalog's order, and what each selector came to. Nothing is granted
 * beside the selectors.
 */
export function resolveGrant(
  selectors: readonly ActionSelector[],
  catalog: readonly CatalogAction[],
): { actions: CatalogAction[]; resolved: ResolvedSelector[] } {
  const resolved = selectors.map((selector) => ({
    selector,
    members: catalog.filter((action) => selects(selector, action)).map(({ name }) => name),
  }));
  const granted = new Set(resolved.flatMap(({ members }) => members));
  return { actions: catalog.filter(({ name }) => granted.has(name)), resolved };
}

/**
 * What is left of a grant once skills are invoked: the actions that any of them allows, memory and skill tools always.
 * A skill without a list of allowed actions narrows nothing; the grant is never widened (rule R19).
 */
export function narrowedBySkills(actions: readonly CatalogAction[], invoked: readonly SkillRecord[]): CatalogAction[] {
  const narrowing = invoked.filter(({ wire }) => wire.allowed_actions.length > 0);
  if (narrowing.length === 0 || narrowing.length < invoked.length) return [...actions];
  const allowed = new Set(narrowing.flatMap(({ wire }) => wire.allowed_actions));
  return actions.filter(({ name }) => allowed.has(name) || skillExempt.some((prefix) => name.startsWith(prefix)));
}

/** Actions that a skill names and the grant lacks. */
export function missingOf(names: readonly string[], granted: readonly Pick<CatalogAction, 'name'>[]): string[] {
  return names.filter((name) => !granted.some((action) => action.name === name));
}

export interface Manifest {
  actions: CatalogAction[];
  groups: { name: string; members: string[] }[];
  skills: Schema<'SkillManifestEntry'>[];
  warnings: Schema<'AgentManifestWarning'>[];
}

/**
 * The tools an agent can call now.
 *
 * Takes    its definition and live skills, the catalog, the skill that is taken as invoked (or null), and a further
 *          filter by name (or null).
 * Gives    actions, the groups that selectors expanded to, its skills with what they miss, and warnings about what can
 *          never work.
 * Source   rules R3, R19, R20; contract, `AgentToolManifest`.
 */
export function manifest(
  agent: AgentDefinition,
  skills: readonly SkillRecord[],
  catalog: readonly CatalogAction[],
  invoked: SkillRecord | null,
  only: readonly string[] | null,
): Manifest {
  const { actions: granted, resolved } = resolveGrant(agent.action_selectors, catalog);
  const narrowed = narrowedBySkills(granted, invoked ? [invoked] : []);
  const actions = only ? narrowed.filter(({ name }) => only.includes(name)) : narrowed;
  const warnings: Schema<'AgentManifestWarning'>[] = resolved
    .filter(({ members }) => members.length === 0)
    .map(({ selector }) => ({
      code: 'selector_unmatched',
      message: `no action matches ${selector.selector_type} ${selector.selector}`,
      action: selector.selector,
    }));
  const entries = skills.map((skill) => {
    const required = missingOf(skill.wire.required_actions, granted);
    const recommended = missingOf(skill.wire.recommended_actions, granted);
    for (const action of required) {
      warnings.push({
        code: 'skill_requirement_missing',
        message: `skill ${skill.wire.name} needs ${action}`,
        skill_id: skill.id,
        action,
      });
    }
    const entry: Schema<'SkillManifestEntry'> = {
      id: skill.id,
      name: skill.wire.name,
      active: skill.id === invoked?.id,
      missing_required: required,
      missing_recommended: recommended,
    };
    if (skill.wire.description !== undefined) entry.description = skill.wire.description;
    return entry;
  });
  if (skills.length > 0 && !granted.some(({ name }) => name === 'svc.skill.invoke')) {
    warnings.push({
      code: 'skill_invoke_not_granted',
      message: 'the agent has skills but no selector grants svc.skill.invoke',
      action: 'svc.skill.invoke',
    });
  }
  const groups = resolved
    .filter(({ selector }) => selector.selector_type !== 'exact')
    .map(({ selector, members }) => ({
      name: selector.selector_type === 'wildcard' ? '*' : selector.selector,
      members,
    }));
  return { actions, groups, skills: entries, warnings };
}
