import { useCallback, useState, useSyncExternalStore } from 'react';
import { Button, EmptyState } from '../../../ui';
import { JsonText } from '../text/json-text';
import { useTranscript } from '../transcript/transcript-context';
import type { SeenFrame } from '../transcript/frame-buffer';

const shownMax = 100;

/** The newest frames of the stream as they came, newest first. */
export function FramesPanel() {
  const { feed } = useTranscript();
  const frames = useSyncExternalStore(
    useCallback((changed) => feed.frames.subscribe(changed), [feed]),
    () => feed.frames.kept,
  );
  const [held, setHeld] = useState<readonly SeenFrame[] | null>(null);
  const [chosen, setChosen] = useState<SeenFrame | null>(null);
  const shown = (held ?? frames).slice(-shownMax).reverse();
  if (shown.length === 0)
    return (
      <EmptyState icon="code" title="No frames yet">
        A session that rests has no stream. Frames stand here as soon as a turn runs.
      </EmptyState>
    );
  return (
    <div className="flex min-h-0 flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <p className="text-muted text-xs">The newest {shown.length} frames</p>
        <Button onClick={() => setHeld(held === null ? frames : null)}>{held === null ? 'Hold' : 'Go on'}</Button>
      </div>
      {chosen && (
        <JsonText
          label={`Frame ${chosen.number}`}
          value={{ ...(chosen.id === undefined ? {} : { id: chosen.id }), data: chosen.data }}
        />
      )}
      <ol className="border-line divide-line max-h-96 divide-y overflow-y-auto rounded-md border" aria-label="Frames">
        {shown.map((frame) => (
          <li key={frame.number}>
            <button
              type="button"
              onClick={() => setChosen(frame)}
              aria-pressed={chosen?.number === frame.number}
              className="hover:bg-hover aria-pressed:bg-accent-soft flex w-full items-center gap-2 px-2.5 py-1 text-left font-mono text-xs -outline-offset-2"
            >
              <span className="text-muted w-10 shrink-0 text-right tabular-nums">{frame.number}</span>
              <span className="min-w-0 flex-1 truncate">{frame.data.event_type}</span>
              <span className="text-muted">{frame.id === undefined ? 'live' : 'kept'}</span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
