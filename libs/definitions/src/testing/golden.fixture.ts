import { upcast, type AnyEvent, type StreamKind } from '@aos/kernel';
import { foldFrozen, type GoldenEvent } from '@aos/kernel/testing';

/** Fails unless every version of every declared event has a file. */
export function expectComplete(kind: Pick<StreamKind<never, never>, 'events'>, events: readonly GoldenEvent[]): void {
  for (const [type, { version }] of Object.entries(kind.events)) {
    for (let older = 1; older <= version; older += 1) {
      expect(
        events.some((event) => event.type === type && event.schema_version === older)
          ? ''
          : `${type} version ${older} has no golden file`,
      ).toBe('');
    }
  }
}

/** The state after one recorded event, as today's code reads it. */
export function foldGolden<S, E extends AnyEvent>(kind: StreamKind<S, E>, event: GoldenEvent): S {
  return foldFrozen(kind, [lifted(kind, event)]);
}

/** A history of recorded events, each a step of its own. Takes their types. */
export function goldenHistory<S, E extends AnyEvent>(
  kind: StreamKind<S, E>,
  events: readonly GoldenEvent[],
  ...types: E['type'][]
): E[][] {
  return types.map((type) => {
    const event = events.find((each) => each.type === type);
    if (!event) throw new Error(`${type} has no golden file`);
    return [lifted(kind, event)];
  });
}

function lifted<S, E extends AnyEvent>(
  kind: StreamKind<S, E>,
  { type, data, schema_version: version }: GoldenEvent,
): E {
  return upcast(kind.events, type, structuredClone(data), version) as E;
}
