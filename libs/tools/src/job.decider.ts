import { decider } from '@aos/kernel';
import {
  cancelJob,
  giveBackJob,
  giveUpJob,
  leaseJob,
  renewLease,
  reportJob,
  requestJob,
} from './workers/job/job.decide.js';
import { jobKind } from './workers/job/job.state.js';

export const jobDecider = decider(jobKind, {
  requestJob,
  leaseJob,
  renewLease,
  giveBackJob,
  reportJob,
  cancelJob,
  giveUpJob,
});
