import { decider } from '@aos/kernel';
import { changeRoutineOwner } from './custody/custody.decide.js';
import { fireRoutine } from './firing/firing.decide.js';
import { addToRoster, removeFromRoster } from './roster/roster.decide.js';
import { routineKind } from './routine/routine.state.js';
import {
  cancelRoutine,
  changeRoutine,
  createRoutine,
  pauseRoutine,
  resumeRoutineNow,
  suspendRoutine,
} from './routines/routines.decide.js';

/** All that can happen to a routine. */
export const routineDecider = decider(routineKind, {
  createRoutine,
  changeRoutine,
  changeRoutineOwner,
  pauseRoutine,
  resumeRoutineNow,
  cancelRoutine,
  suspendRoutine,
  fireRoutine,
  addToRoster,
  removeFromRoster,
});
