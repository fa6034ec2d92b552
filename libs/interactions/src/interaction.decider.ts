import { decider } from '@aos/kernel';
import { cancel, hide, respond, review } from './answering/answering.decide.js';
import { endAttempt, redrive, replaceSeal, startAttempt } from './callbacks/callbacks.decide.js';
import { expire } from './expiry/expiry.decide.js';
import { interactionKind } from './interaction/interaction.state.js';
import { openInteraction } from './opening/opening.decide.js';

/** All that can happen to an interaction. */
export const interactionDecider = decider(interactionKind, {
  openInteraction,
  respond,
  review,
  cancel,
  hide,
  expire,
  startAttempt,
  endAttempt,
  redrive,
  replaceSeal,
});
