import { decider } from '@aos/kernel';
import { deleteEntry, saveEntry } from './memory/memory.decide.js';
import { memoryKind } from './memory/memory.state.js';

export const memoryDecider = decider(memoryKind, { saveEntry, deleteEntry });
