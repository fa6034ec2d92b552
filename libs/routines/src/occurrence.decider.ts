import { decider } from '@aos/kernel';
import { occurrenceKind } from './occurrence/occurrence.state.js';
import {
  admitOccurrence,
  dropOccurrence,
  finishOccurrence,
  recordOccurrence,
} from './occurrences/occurrences.decide.js';

/** All that can happen to a run of a routine. */
export const occurrenceDecider = decider(occurrenceKind, {
  recordOccurrence,
  admitOccurrence,
  dropOccurrence,
  finishOccurrence,
});
