import { decider } from '@aos/kernel';
import { nameKind } from './names/name.state.js';
import { claimName, claimOnce, releaseName } from './names/names.decide.js';

/** All that can happen to the name of a resource. */
export const nameDecider = decider(nameKind, { claimName, claimOnce, releaseName });
