import { definitionDecider, ofLive, type AnyKind } from '@aos/definitions/published';
import { carryOut, deleteBound, protect, protectBound, releaseBound } from './plan/bound.decide.js';

/** What a blueprint can do to a definition of any type. */
export function boundDecider({ kind }: Pick<AnyKind, 'kind'>) {
  return definitionDecider(kind, {
    carryOut: ofLive(carryOut),
    protect: ofLive(protect),
    protectBound: ofLive(protectBound),
    deleteBound: ofLive(deleteBound),
    releaseBound: ofLive(releaseBound),
  });
}
