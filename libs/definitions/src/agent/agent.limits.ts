import { holdsHalfCharacter, type Issue } from '@aos/kernel';
import type { Disposition } from '../definition/definition.events.js';
import { dispositionsMax, nameIssues, repeatIssues, tagIssues } from '../definition/definition.limits.js';
import type { DesiredAgent } from './agent.state.js';

/** Characters (rule L8). */
export const agentNameMax = 63;
export const externalRefMax = 200;
export const selectorsMax = 200;
/** Seconds of active execution of one turn: what 0 and absent mean, and the most (rule L6). */
export const timeoutSecondsDefault = 600;
export const timeoutSecondsMax = 86_400;
export const thresholdTokensMax = 10_000_000;

/** How long what a change of custody brings about is left to the process that made it. */
export const followUpDelayMs = 5_000;

/** What is wrong with the dispositions of a change of audience (rule TE11). */
export function dispositionIssues(dispositions: readonly Disposition[] = []): Issue[] {
  const at = '/affected_resource_dispositions';
  if (dispositions.length > dispositionsMax) return [{ path: at, message: `at most ${dispositionsMax}` }];
  return repeatIssues(
    dispositions.map(({ resource_type: type, resource_id: id }) => `${type} ${id}`),
    at,
  );
}

/**
 * What the contract's shape cannot say about an agent's fields; asked by the API and by blueprints alike.
 *
 * Gives    issues with JSON pointers below `at`; an empty list when all is well.
 * Source   rules L6, L8, L12, R2, R4, S16, CMP1, CMP2, CMP3.
 */
export function agentIssues(desired: DesiredAgent, at = ''): Issue[] {
  const issues: Issue[] = [
    ...nameIssues(desired.name, agentNameMax, `${at}/name`),
    ...nameIssues(desired.external_ref, externalRefMax, `${at}/external_ref`),
    ...(holdsHalfCharacter(desired.external_ref ?? '')
      ? [{ path: `${at}/external_ref`, message: 'holds half a character' }]
      : []),
    ...tagIssues(desired.tags, `${at}/tags`),
    ...repeatIssues(desired.skill_ids, `${at}/skill_ids`),
  ];
  if (desired.action_selectors && desired.tool_selectors) {
    issues.push({ path: `${at}/tool_selectors`, message: 'is the alias of action_selectors: send one of them' });
  }
  const seconds = desired.timeout_seconds;
  if (seconds !== undefined && (!Number.isInteger(seconds) || seconds < 0 || seconds > timeoutSecondsMax)) {
    issues.push({ path: `${at}/timeout_seconds`, message: `a whole number of seconds from 0 to ${timeoutSecondsMax}` });
  }
  const policy = desired.compaction_policy;
  if (policy?.threshold !== undefined && policy.threshold_tokens !== undefined) {
    issues.push({ path: `${at}/compaction_policy/threshold_tokens`, message: 'excludes threshold: send one of them' });
  }
  const route = desired.model_route;
  if (route?.mode === 'worker' && (!route.provider || !route.model)) {
    issues.push({ path: `${at}/model_route`, message: 'a worker route needs provider and model' });
  }
  for (const [member, selectors] of [
    ['action_selectors', desired.action_selectors],
    ['tool_selectors', desired.tool_selectors],
  ] as const) {
    for (const [index, { selector, selector_type: type = 'exact' }] of (selectors ?? []).entries()) {
      if (type !== 'wildcard' && type !== 'custom' && selector.trim() === '') {
        issues.push({ path: `${at}/${member}/${index}/selector`, message: 'names nothing' });
      }
    }
  }
  return issues;
}
