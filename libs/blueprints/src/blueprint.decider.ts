import { decider } from '@aos/kernel';
import { beginChange, endChange, intendEntries, prolongChange } from './blueprint/blueprint.decide.js';
import { blueprintKind } from './blueprint/blueprint.state.js';

/** All that can happen to a blueprint. */
export const blueprintDecider = decider(blueprintKind, { beginChange, prolongChange, intendEntries, endChange });
