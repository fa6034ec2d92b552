import { idPart, looksLikeId, type PrincipalKind } from '@aos/kernel';

const prefixes = { human: 'user', service: 'svc', worker: 'wrk', agent: 'agent' } as const;
const letters = { user: 'h', svc: 's', wrk: 'w', agent: 'a' } as const;
const rolePartLength = 26;

export type StoredPrincipalKind = keyof typeof prefixes;

export function principalPrefix(kind: StoredPrincipalKind): 'user' | 'svc' | 'wrk' | 'agent' {
  return prefixes[kind];
}

/**
 * The permanent organization principal (rule A3). Its id is derived from the organization, so it always exists and
 * cannot be removed.
 */
export function systemPrincipalId(orgId: string): string {
  return `svc_${idPart(orgId)}`;
}

export function looksLikePrincipalId(text: string): boolean {
  return Object.values(prefixes).some((prefix) => looksLikeId(prefix, text));
}

/** Typed readable handle, such as `svc:acme-ci`. Not unique: the id is. */
export function handleOf(kind: PrincipalKind, name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const prefix = kind === 'system' ? 'system' : prefixes[kind];
  return `${prefix}:${slug || 'unnamed'}`;
}

/** An assignment's id holds the principal and the role, so that it is found without an index. */
export function assignmentId(principalId: string, roleId: string): string {
  const prefix = principalId.slice(0, principalId.indexOf('_')) as keyof typeof letters;
  return `rasg_${letters[prefix]}${idPart(principalId)}${idPart(roleId)}`;
}

/** Reads `assignmentId`; null for text that is not one. */
export function parseAssignmentId(text: string): { principalId: string; roleId: string } | null {
  if (!looksLikeId('rasg', text)) return null;
  const part = idPart(text);
  const prefix = (Object.keys(letters) as (keyof typeof letters)[]).find((candidate) => letters[candidate] === part[0]);
  if (!prefix || part.length <= rolePartLength + 1) return null;
  return { principalId: `${prefix}_${part.slice(1, -rolePartLength)}`, roleId: `role_${part.slice(-rolePartLength)}` };
}
