import { isLongerThan, type Issue } from '@aos/kernel';
import { nameIssues, tagIssues } from '../definition/definition.limits.js';
import type { DesiredSkill } from './skill.state.js';

/** Characters (rule L8; contract, `SkillRequest`). */
export const skillNameMax = 80;
export const skillTitleMax = 200;
export const skillDescriptionMax = 4096;
export const instructionsMax = 200_000;
export const skillActionsMax = 200;
/** Of a document that is imported: what the parser reads of any form in a moment. */
export const frontMatterBytesMax = 32 * 1024;

/**
 * What the contract's shape cannot say about a skill's fields; also what it can, for skills that do not come as such a
 * body.
 */
export function skillIssues(desired: DesiredSkill, at = ''): Issue[] {
  const issues: Issue[] = [
    ...nameIssues(desired.name, skillNameMax, `${at}/name`),
    ...tagIssues(desired.tags, `${at}/tags`),
  ];
  if (desired.allowed_actions && desired.allowed_tools)
    issues.push({ path: `${at}/allowed_tools`, message: 'is the alias of allowed_actions: send one of them' });
  for (const [field, max] of [
    ['title', skillTitleMax],
    ['description', skillDescriptionMax],
    ['instructions', instructionsMax],
  ] as const) {
    if (isLongerThan(desired[field] ?? '', max))
      issues.push({ path: `${at}/${field}`, message: `at most ${max} characters` });
  }
  if (desired.instructions?.trim() === '') issues.push({ path: `${at}/instructions`, message: 'must not be blank' });
  for (const field of ['allowed_actions', 'required_actions', 'recommended_actions', 'allowed_tools'] as const) {
    const names = desired[field] ?? [];
    if (names.length > skillActionsMax)
      issues.push({ path: `${at}/${field}`, message: `at most ${skillActionsMax} actions` });
    for (const [index, name] of names.entries())
      if (name.trim() === '') issues.push({ path: `${at}/${field}/${index}`, message: 'names nothing' });
  }
  return issues;
}
