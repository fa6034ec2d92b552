import { upcast, type AnyEvent, type StreamKind } from '@aos/kernel';
import { foldFrozen, goldenEvents } from '@aos/kernel/testing';

/** Events of a stream as they once were written: one file for each type and version, in its `golden` folder. */
export function goldenOf<S, E extends AnyEvent>(
  folder: string,
  kind: StreamKind<S, E>,
): { after(...types: E['type'][]): S; recorded(type: E['type']): E; missing: string[] } {
  const golden = goldenEvents(folder);
  const recorded = (type: E['type']): E => {
    const found = golden.find((event) => event.type === type);
    if (!found) throw new Error(`${type} has no golden file`);
    return upcast(kind.events, type, structuredClone(found.data), found.schema_version) as E;
  };
  const missing = Object.entries(kind.events).flatMap(([type, { version }]) =>
    Array.from({ length: version }, (_none, older) => older + 1)
      .filter((older) => !golden.some((event) => event.type === type && event.schema_version === older))
      .map((older) => `${type} version ${older}`),
  );
  return { after: (...types) => foldFrozen(kind, types.map(recorded)), recorded, missing };
}
