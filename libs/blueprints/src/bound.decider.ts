import { definitionDecider, ofLive } from '@aos/definitions/published';
import { carryOut, deleteBound, protect, protectBound, releaseBound } from './plan/bound.decide.js';
import type { ResourceKind } from './resources/resource-kind.state.js';

/** What a blueprint can do to a definition of any type. */
export function boundDecider({ kind }: Pick<ResourceKind, 'kind'>) {
  return definitionDecider(kind, {
    carryOut: ofLive(carryOut),
    protect: ofLive(protect),
    protectBound: ofLive(protectBound),
    deleteBound: ofLive(deleteBound),
    releaseBound: ofLive(releaseBound),
  });
}
