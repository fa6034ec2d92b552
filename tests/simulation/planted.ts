import { Decisions, type DecideOptions } from '@aos/platform';
import type { TurnQueue } from '../../libs/sessions/src/running/turn-queue.js';
import type { SessionWatches } from '../../libs/sessions/src/live/session-watches.js';
import type { TurnSlots } from '../../libs/sessions/src/running/turn-slots.js';
import type { SessionState } from '../../libs/sessions/src/session/session.state.js';

/**
 * Decisions for a runner with a bug: a turn comes to wait whatever nudges are pending, as if waking were judged only
 * when a nudge comes.
 */
export function parkingBlindly(decisions: Decisions): Decisions {
  const planted = Object.create(decisions) as Decisions;
  planted.run = ((
    kind: never,
    id: string,
    act: never,
    decide: (state: SessionState, revision: number) => readonly { type: string }[],
    options: DecideOptions<never>,
  ) => {
    const blindly = (state: SessionState, revision: number) => {
      const blind = state.pendingNudges.length > 0 ? decide({ ...state, pendingNudges: [] }, revision) : [];
      return (blind.some(({ type }) => type === 'TurnParked') ? blind : decide(state, revision)) as never;
    };
    return decisions.run<SessionState, never>(kind, id, act, blindly, options);
  }) as Decisions['run'];
  return planted;
}

/**
 * Decisions for a runner with a bug: once it claimed a turn it believes that the turn is its own for ever, as if a
 * lease were enough and the claim's epoch were never looked at.
 */
export function forgetfulOfEpochs(decisions: Decisions): Decisions {
  const claimed = new Map<string, number>();
  const believed = (state: SessionState): SessionState => {
    const open = new Map(
      [...state.open].map(([turnId, turn]) => {
        const epoch = claimed.get(turnId);
        return [
          turnId,
          epoch === undefined || epoch === turn.epoch
            ? turn
            : { ...turn, epoch, turn: { ...turn.turn, status: 'running' as const } },
        ];
      }),
    );
    return { ...state, open };
  };
  const planted = Object.create(decisions) as Decisions;
  planted.load = (async (kind: never, id: string, atLeast?: number) => {
    const loaded = await decisions.load<SessionState, never>(kind, id, atLeast);
    return { ...loaded, state: believed(loaded.state) };
  }) as Decisions['load'];
  planted.run = (async (
    kind: never,
    id: string,
    act: never,
    decide: (state: SessionState, revision: number) => readonly { type: string; data: unknown }[],
    options: DecideOptions<never>,
  ) => {
    const decided = await decisions.run<SessionState, never>(
      kind,
      id,
      act,
      (state, revision) => decide(believed(state), revision) as never,
      options,
    );
    for (const event of decided.events as readonly { type: string; data: { epoch: number; turn: { id: string } } }[]) {
      if (event.type === 'TurnClaimed') claimed.set(event.data.turn.id, event.data.epoch);
    }
    return decided;
  }) as Decisions['run'];
  return planted;
}

/** A queue with a bug: the slot of an admission whose append had no answer is lost. */
export function leakingSlots(turnQueue: TurnQueue, slots: TurnSlots): TurnQueue {
  const planted = Object.create(turnQueue) as TurnQueue;
  planted.doubt = (orgId, sessionId) => {
    turnQueue.doubt(orgId, sessionId);
    slots.take(orgId, `lost by ${sessionId}`);
  };
  return planted;
}

/** A queue with a bug: admissions claim their turns whether the process stops or not. */
export function claimingWhileStopping(turnQueue: TurnQueue): TurnQueue {
  return Object.create(turnQueue, { isStopping: { value: false } }) as TurnQueue;
}

/** A process with a bug: it takes a cut bus for a whole one. */
export function deaf(watches: SessionWatches): SessionWatches {
  return Object.create(watches, { canAsk: { value: true }, healthChanges: { value: 0 } }) as SessionWatches;
}

/** A process with a bug: once the bus is whole again it forgets that messages were lost. */
export function forgetfulOfBreaks(watches: SessionWatches): SessionWatches {
  return Object.create(watches, { healthChanges: { value: 0 } }) as SessionWatches;
}
