import { decider } from '@aos/kernel';
import { startChannelTurn } from './channel-turns/channel-turns.decide.js';
import { failPass, finishPass, startPass } from './compaction/compaction.decide.js';
import { importMessages } from './imports/imports.decide.js';
import { applyOutcome, mirrorInteraction } from './outcomes/outcomes.decide.js';
import { startRoutineTurn } from './routine-turns/routine-turns.decide.js';
import { changeSessionCustody } from './session/custody.decide.js';
import { changeSession, deleteSession, expireSession, openSession } from './session/lifecycle.decide.js';
import { sessionKind } from './session/session.state.js';
import { deferJob, receiveDeferredResult, receiveJobResult, takeOverJob } from './turn/jobs.decide.js';
import { cancelNudge, queueNudge } from './turn/nudges.decide.js';
import {
  cancelSession,
  cancelTurn,
  claimTurn,
  completeWithoutCall,
  deliverBeforeCall,
  failTurn,
  parkTurn,
  recordAnswer,
  recordOutcome,
  renewClaim,
  requeueTurn,
} from './turn/run.decide.js';
import { startTurn } from './turn/start.decide.js';

/** All that can happen to a session. */
export const sessionDecider = decider(sessionKind, {
  openSession,
  changeSession,
  deleteSession,
  expireSession,
  changeSessionCustody,
  importMessages,

  startTurn,
  startRoutineTurn,
  startChannelTurn,
  cancelTurn,
  cancelSession,

  claimTurn,
  renewClaim,
  requeueTurn,
  deliverBeforeCall,
  recordAnswer,
  completeWithoutCall,
  recordOutcome,
  parkTurn,
  failTurn,

  takeOverJob,
  receiveJobResult,
  deferJob,
  receiveDeferredResult,

  queueNudge,
  cancelNudge,

  mirrorInteraction,
  applyOutcome,

  startPass,
  finishPass,
  failPass,
});
