import { collectionOf } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { PrincipalEvent } from './principal.events.js';
import { principalKind, type PrincipalState } from './principal.state.js';

/** Principals by creation, kind and state; deleted principals leave the rows. */
export const principalsProjection: StreamProjection<PrincipalState, PrincipalEvent> = {
  name: 'principals',
  version: 1,
  kind: principalKind,
  rows({ state: { principal, status, grants }, revision }) {
    if (!principal) return [];
    const row = { collection: principalsCollection, scope: [principal.org_id], key: principal.id, revision };
    if (status === 'deleted') return [{ ...row, doc: null, index: {} }];
    const doc = { principal, status, role_ids: [...grants.keys()] };
    return [{ ...row, doc, index: { created: principal.created_at, kind: principal.kind, state: status } }];
  },
};
export const principalsCollection = collectionOf(principalsProjection);
