import { badRequest, type Issue } from './refusal.js';

/**
 * Controls, formatting (bidirectional overrides, zero-width), surrogates, private use, line separators, and letters
 * that show nothing.
 */
const unprintable =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]/u;
const printed = /[\p{L}\p{N}\p{P}\p{S}]/u;
const blankAtEnd = /^\p{White_Space}|\p{White_Space}$/u;

/**
 * What is wrong with a new name of a resource; an empty list when nothing is. A name from before is not asked about
 * until it is changed.
 *
 * Source   rule G28.
 */
export function namingIssues(name: string, path = '/name'): Issue[] {
  if (unprintable.test(name) || !printed.test(name))
    return [{ path, message: 'must be printable, without control, bidirectional-override or zero-width characters' }];
  if (blankAtEnd.test(name)) return [{ path, message: 'must not begin or end with a blank' }];
  return name === name.normalize('NFC') ? [] : [{ path, message: 'must be in Unicode normalization form C' }];
}

/** Refuses bad_request for a new name that does not fit (rule G28). */
export function requireName(name: string): void {
  const issues = namingIssues(name);
  if (issues.length > 0) throw badRequest(issues);
}
