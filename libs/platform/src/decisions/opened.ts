import { upcastRecorded, type AnyEvent, type Position, type RecordedEvent, type StreamKind } from '@aos/kernel';

/** An event as the code knows it today, with its place. */
export type Opened<E> = E & { revision: number; position: Position; id: string; meta: Record<string, string> };

/** An event whose large values may lie in Blobs: references stand for them then (`isPartial`). */
export type Scanned<E> = E & { revision: number; isPartial: boolean };

/** The events of some types as the code knows them today; of others only the type is looked at. */
export function scanned<E extends AnyEvent>(
  kind: Pick<StreamKind<unknown, E> | StreamKind<never, E>, 'events'>,
  recorded: readonly RecordedEvent[],
  types: ReadonlySet<string>,
): Scanned<E>[] {
  return recorded
    .filter(({ type }) => types.has(type))
    .map((event) => {
      const { revision, meta } = event;
      return { ...(upcastRecorded(kind.events, event) as E), revision, isPartial: meta.blobs !== undefined };
    });
}
