import { decider } from '@aos/kernel';
import { claimName, claimRef, releaseName, releaseRef } from './names/names.decide.js';
import { nameKind, refKind } from './names/names.state.js';

export const nameDecider = decider(nameKind, { claimName, releaseName });

export const refDecider = decider(refKind, { claimRef, releaseRef });
