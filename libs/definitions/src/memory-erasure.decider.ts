import { decider } from '@aos/kernel';
import { askForErasure } from './memory-erasure/memory-erasure.decide.js';
import { memoryErasureKind } from './memory-erasure/memory-erasure.state.js';

export const memoryErasureDecider = decider(memoryErasureKind, { askForErasure });
