import type { StreamKind } from '../decider.js';
import type { AnyEvent } from '../events.js';
import { Refusal, type RefusalCode } from '../refusal.js';
import type { JsonObject } from '../json.js';
import { foldFrozen } from './frozen.js';

/**
 * Reads as a sentence: `given(kind, past...).when(state => decide(command, state)).thenEvents(...)`.
 *
 * Takes    a stream kind and the events that happened.
 * Gives    checks on what a decide function makes of them. A check that fails throws jest's error. The states
 *          are frozen.
 */
export function given<S, E extends AnyEvent>(kind: StreamKind<S, E>, ...past: E[]) {
  const stateAt = () => foldFrozen(kind, past);
  return {
    when(decide: (state: S) => E[]) {
      return {
        thenEvents(...expected: E[]) {
          expect(decide(stateAt())).toEqual(expected);
        },
        thenTypes(...types: E['type'][]) {
          expect(decide(stateAt()).map(({ type }) => type)).toEqual(types);
        },
        thenNothing() {
          expect(decide(stateAt())).toEqual([]);
        },
        thenRefuses(code: RefusalCode, details?: JsonObject) {
          let refusal: unknown;
          try {
            decide(stateAt());
          } catch (error) {
            refusal = error;
          }
          if (!(refusal instanceof Refusal))
            throw refusal instanceof Error ? refusal : new Error(`expected ${code}, nothing was refused`);
          expect(refusal.code).toBe(code);
          if (details) expect(refusal.details).toMatchObject(details);
        },
        thenState(check: (state: S) => void) {
          const state = stateAt();
          const decided = decide(state);
          check(foldFrozen(kind, [...past, ...decided]));
        },
      };
    },
    state: stateAt,
  };
}
