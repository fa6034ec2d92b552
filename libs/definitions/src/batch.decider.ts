import { decider } from '@aos/kernel';
import { commitBatch, releaseBatch } from './row/batch.decide.js';
import { batchKind } from './row/batch.state.js';

export const batchDecider = decider(batchKind, { commitBatch, releaseBatch });
