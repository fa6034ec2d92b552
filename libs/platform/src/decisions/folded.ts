import { upcastRecorded, type AnyEvent, type RecordedEvent, type StreamKind } from '@aos/kernel';

/** The newest state of a stream and the revision it stands at; -1: the stream has no events. */
export interface Folded<S> {
  state: S;
  revision: number;
  /** Revision of the last snapshot that this process took or read. */
  snapshotRevision: number;
}

/**
 * Folds recorded events, lifted to their current version, onto a stream's state. `recognize` is called with the data of
 * those that hold references.
 */
export function foldPage<S, E extends AnyEvent>(
  kind: StreamKind<S, E>,
  folded: Pick<Folded<S>, 'state' | 'revision'>,
  page: readonly RecordedEvent[],
  recognize?: (data: unknown) => void,
): void {
  for (const event of page) {
    const lifted = upcastRecorded(kind.events, event);
    if (event.meta.blobs) recognize?.(lifted.data);
    folded.state = kind.evolve(folded.state, lifted as E, event.revision);
    folded.revision = event.revision;
  }
}
