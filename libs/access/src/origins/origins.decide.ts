import { badRequest, type Issue } from '@aos/kernel';
import type { OrganizationEvent } from '../organization/organization.events.js';
import { returnOriginCharactersMax, returnOriginsMax } from '../organization/organization.limits.js';
import type { OrganizationState } from '../organization/organization.state.js';

/** Scheme, host and perhaps a port. A slash at the end is a path; an encoded character and a wildcard are refused. */
const exactOrigin = /^https:\/\/[^\s/?#@\\*%:[\]]+(?::\d{1,5})?$|^https:\/\/\[[\da-f:.]+\](?::\d{1,5})?$/iu;

/** The origin as a browser writes it: lower case, a default port dropped; null for what is no exact https origin. */
export function normalOrigin(text: string): string | null {
  if (text.length > returnOriginCharactersMax || !exactOrigin.test(text)) return null;
  const origin = URL.parse(text)?.origin ?? null;
  return origin !== null && origin.length <= returnOriginCharactersMax ? origin : null;
}

/**
 * Replaces the origins to which an authorization may lead back; none turns the authorization code flow off.
 *
 * Gives    ReturnOriginsReplaced with each origin once, in the order given; no event when the list is the same.
 * Refuses  bad_request for what is no exact `https://host[:port]`, and for more than 20.
 * Source   rule TE18.
 */
export function replaceReturnOrigins(
  { origins, at }: { origins: readonly string[]; at: string },
  state: OrganizationState,
): OrganizationEvent[] {
  const issues: Issue[] = [];
  const normal = new Set<string>();
  for (const [index, text] of origins.entries()) {
    const origin = normalOrigin(text);
    if (origin === null)
      issues.push({
        path: `/origins/${index}`,
        message: 'must be https://host or https://host:port, and nothing more',
      });
    else normal.add(origin);
  }
  if (origins.length > returnOriginsMax) issues.push({ path: '/origins', message: `at most ${returnOriginsMax}` });
  if (issues.length > 0) throw badRequest(issues);
  const wanted = [...normal];
  const isSame =
    wanted.length === state.returnOrigins.length &&
    wanted.every((origin, index) => origin === state.returnOrigins[index]);
  return isSame ? [] : [{ type: 'ReturnOriginsReplaced', data: { origins: wanted, replaced_at: at } }];
}
