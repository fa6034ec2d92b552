import { decider } from '@aos/kernel';
import { deleteEntry, saveEntry } from './memory/memory.decide.js';
import { memoryKind } from './memory/memory.state.js';
import { promoteEntry, revertPromotion } from './memory/promotion.decide.js';

export const memoryDecider = decider(memoryKind, { saveEntry, deleteEntry, promoteEntry, revertPromotion });
