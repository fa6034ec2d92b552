import fc from 'fast-check';
import { Refusal, fold } from '@aos/kernel';
import { outcomeWire } from '../interaction/interaction.wire.js';
import { interactionKind, isOpen, responsesOfRound, type InteractionState } from '../interaction/interaction.state.js';
import type { InteractionEvent } from '../interaction/interaction.events.js';
import { ann, at, atMs, bob, cleo, creator, oneInput, opened } from '../testing/interactions.fixture.js';
import { cancel, respond, review } from './answering.decide.js';
import { expire } from '../expiry/expiry.decide.js';

const terminal = new Set(['InteractionCompleted', 'InteractionCancelled', 'InteractionExpired']);
const people = [ann, bob, cleo, creator, 'user_eve'];

type Racer =
  | { do: 'respond'; by: string; text: string; delivery: string | null }
  | { do: 'review'; by: string; accept: boolean }
  | { do: 'cancel'; by: string }
  | { do: 'expire'; late: boolean };

const racer: fc.Arbitrary<Racer> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('respond' as const),
      by: fc.constantFrom(...people),
      text: fc.constantFrom('yes', 'no', ' '),
      delivery: fc.constantFrom(null, null, 'd1', 'd2'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('review' as const),
      by: fc.constantFrom(creator, bob),
      accept: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), by: fc.constantFrom(...people) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const), late: fc.boolean() }) },
);

const policies = fc.record({
  type: fc.constantFrom('any_of' as const, 'all_of' as const, 'quorum' as const),
  threshold: fc.integer({ min: 1, max: 3 }),
  reviewed: fc.boolean(),
});

function decide(move: Racer, state: InteractionState, revision: number): InteractionEvent[] {
  const closing = { now: at, callbackId: `dlv_${revision}` };
  const by = (principalId: string) => ({ principalId, kind: 'human' as const, isAdmin: false });
  switch (move.do) {
    case 'respond':
      return respond(
        {
          ...closing,
          by: by(move.by),
          responseId: `iresp_${revision}`,
          questions: [oneInput],
          set: { value: move.text },
          deliveryId: move.delivery,
        },
        state,
        revision,
      );
    case 'review':
      return review(
        { ...closing, by: by(move.by), action: move.accept ? 'accept' : 'request_changes', comment: 'c' },
        state,
      );
    case 'cancel':
      return cancel({ ...closing, by: by(move.by), reason: null, deliveryId: null }, state);
    default:
      return expire({ ...closing, nowMs: atMs + (move.late ? 1 : -1) }, state);
  }
}

describe('racing commands in any order', () => {
  it('end an interaction once, freeze its outcome, and count every responder once a round', () => {
    fc.assert(
      fc.property(policies, fc.array(racer, { maxLength: 40 }), ({ type, threshold, reviewed }, moves) => {
        const resolution_policy = { type, ...(type === 'quorum' && { threshold }), ...(reviewed && { review: {} }) };
        const log: InteractionEvent[] = [
          opened({ resolution_policy, reviewer_user_ids: reviewed ? [creator] : [], expires_at: at }),
        ];
        let state = fold(interactionKind, log);
        let frozen: string | null = null;
        for (const move of moves) {
          let events: InteractionEvent[] = [];
          try {
            events = decide(move, state, log.length - 1);
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
          }
          for (const event of events) {
            state = interactionKind.evolve(state, event, log.length);
            log.push(event);
          }
          const outcome = JSON.stringify([state.status, state.resolution, outcomeWire(state)]);
          if (frozen !== null) expect(outcome).toBe(frozen);
          else if (!isOpen(state.status)) frozen = outcome;
          const responders = responsesOfRound(state).map(({ responder_id }) => responder_id);
          expect(new Set(responders).size).toBe(responders.length);
          expect(responders.every((id) => [ann, bob, cleo].includes(id))).toBe(true);
        }
        expect(log.filter((event) => terminal.has(event.type)).length).toBe(frozen === null ? 0 : 1);
        const needed = { any_of: 1, all_of: 3, quorum: threshold }[type];
        if (state.status === 'completed') expect(state.resolution?.response_ids).toHaveLength(needed);
        for (const event of log) {
          if (event.type === 'InteractionCompleted') {
            const named = event.data.response_revisions.map((revision) => log[revision]);
            expect(named.map((one) => (one?.type === 'ResponseSubmitted' ? one.data.id : null))).toEqual(
              event.data.response_ids,
            );
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});
