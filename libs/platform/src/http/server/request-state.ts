import type { Identity } from '@aos/kernel';
import type { QueryValues } from '../contract/validators.js';
import type { BoundRoute } from './route-table.js';

/** What the hooks learn about a request on its way to a controller. */
export interface RequestState {
  identity: Identity | null;
  route: BoundRoute | null;
  query: QueryValues;
  bodyBytes: number;
  /** Gives back what the body takes of the budget; null without a body. */
  bodyReceived: (() => void) | null;
  startedAt: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Never null after the hooks ran. */
    svc: RequestState | null;
  }
  interface FastifyContextConfig {
    bound?: BoundRoute;
  }
}

export function newRequestState(route: BoundRoute | null): RequestState {
  return { identity: null, route, query: {}, bodyBytes: 0, bodyReceived: null, startedAt: performance.now() };
}
