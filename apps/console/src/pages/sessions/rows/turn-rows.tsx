import { memo, useEffect, useState } from 'react';
import { Link } from '@tanstack/react-router';
import type { TranscriptTurn } from '@aos/client';
import { durationText, Icon, numberText, Status, Time } from '../../../ui';
import { turnDuration, waitText, whatToDo } from '../transcript/turn-facts';
import { JsonText } from '../text/json-text';
import { visibleText } from '../text/visible-text';
import { useKeyed, useTranscript } from '../transcript/transcript-context';
import { isOpen } from '../transcript/transcript-items';

const tickMs = 1_000;

/** The line at which a turn begins: its state, when it came, how long it took, and the way to its page. */
export const TurnLine = memo(function TurnLine({ turnId }: { turnId: string }) {
  const { feed, sessionId } = useTranscript();
  const turn = useKeyed(feed.view.turns, turnId);
  return (
    <div className="text-muted flex h-9 items-center gap-2.5 text-xs">
      <span className="bg-line h-px flex-1" />
      <Link
        to="/sessions/$id/turns/$turnId"
        params={{ id: sessionId, turnId }}
        className="hover:text-text flex items-center gap-2 rounded-sm"
      >
        <span className={turn && 'sr-only'}>Turn</span>
        {turn && <TurnWords turn={turn} />}
        <Icon name="chevron" size={14} />
      </Link>
      <span className="bg-line h-px flex-1" />
    </div>
  );
});

function TurnWords({ turn }: { turn: TranscriptTurn }) {
  const now = useNow(isOpen(turn));
  const { input_tokens: taken = 0, output_tokens: given = 0 } = turn.usage ?? {};
  return (
    <>
      <Status value={turn.status} />
      <Time at={turn.created_at} form="clock" />
      <span className="tabular-nums">{durationText(turnDuration(turn, now))}</span>
      {turn.usage !== undefined && <span className="max-sm:hidden">{numberText(taken + given)} tokens</span>}
    </>
  );
}

/** What a turn's end says beside its rows: it goes on, waits, failed, was cancelled, or gave an output. */
export const TurnEnd = memo(function TurnEnd({ turnId }: { turnId: string }) {
  const { feed } = useTranscript();
  const turn = useKeyed(feed.view.turns, turnId);
  if (turn === undefined) return null;
  if (turn.status === 'completed')
    return (
      turn.output !== undefined && (
        <section aria-label="Output" className="border-good/40 bg-surface rounded-md border px-3 pb-3">
          <JsonText
            label={`Output, which meets the schema (given by ${turn.output_source ?? 'the model'})`}
            value={turn.output}
          />
        </section>
      )
    );
  if (turn.status === 'cancelled') return <p className="text-muted px-4 py-1 text-xs">The turn was cancelled.</p>;
  if (turn.status === 'failed')
    return (
      <div
        role="note"
        aria-label="Failed turn"
        className="border-bad/40 bg-bad-soft flex flex-col gap-1 rounded-md border px-4 py-2.5"
      >
        <p className="font-medium">
          The turn failed: <code className="font-mono text-xs">{turn.error_type ?? 'unknown'}</code>
        </p>
        <p className="[overflow-wrap:anywhere] whitespace-pre-wrap" dir="auto">
          {visibleText(turn.error_message ?? '').slice(0, 4000)}
        </p>
        <p className="text-muted">{whatToDo(turn.error_type)}</p>
      </div>
    );
  const words = waitText(turn) ?? (turn.status === 'queued' ? 'Queued: it waits for its turn to run' : 'Working…');
  return (
    <p role="status" className="text-muted flex items-center gap-2 px-4 py-1 text-xs">
      <span aria-hidden="true" className="bg-info size-1.5 animate-pulse rounded-full" />
      {words}
    </p>
  );
});

/** The time, anew each second while it is wanted. */
function useNow(isWanted: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [isWanted]);
  return now;
}
