import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fold, upcast, type AnyEvent, type JsonObject, type StreamKind } from '@aos/kernel';

interface GoldenEvent {
  type: string;
  schema_version: number;
  data: JsonObject;
}

/** Events as they once were written: one file for each type and version, in the noun's `golden` folder. */
export function goldenEvents(folder: string): (GoldenEvent & { file: string })[] {
  const directory = join(folder, 'golden');
  return readdirSync(directory)
    .sort()
    .map((file) => ({ file, ...(JSON.parse(readFileSync(join(directory, file), 'utf8')) as GoldenEvent) }));
}

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
export function foldGolden<S, E extends AnyEvent>(
  kind: StreamKind<S, E>,
  { type, data, schema_version: version }: GoldenEvent,
): S {
  return fold(kind, [upcast(kind.events, type, structuredClone(data), version) as E]);
}
