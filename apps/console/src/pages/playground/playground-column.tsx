import { useMemo } from 'react';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useWrite } from '../../api/hooks';
import { Button, EmptyState, IconButton, Select } from '../../ui';
import { useOpenTurns } from '../sessions/composer/open-turns';
import { useSessionFeed } from '../sessions/session/use-session-feed';
import { TranscriptContext } from '../sessions/transcript/transcript-context';
import { TranscriptList } from '../sessions/shown/transcript-list';
import type { Column } from './playground-columns';

/** One conversation of the playground, with the model that it has. */
export function PlaygroundColumn({
  number,
  column: { model, sessionId },
  options,
  onModel,
  onRemove,
}: {
  number: number;
  column: Column;
  options: readonly { value: string; label: string }[];
  onModel: (model: string) => void;
  onRemove: (() => void) | null;
}) {
  return (
    <section aria-label={`Conversation ${number}`} className="flex min-h-0 min-w-0 flex-col">
      <div className="border-line bg-surface flex items-center gap-2 border-b px-3 py-2">
        <Select
          label={`Model of conversation ${number}`}
          hideLabel
          className="min-w-0 flex-1"
          value={model}
          disabled={sessionId !== null}
          onChange={(event) => onModel(event.target.value)}
          options={
            options.some(({ value }) => value === model) ? options : [...options, { value: model, label: model }]
          }
        />
        {sessionId !== null && (
          <Link
            to="/sessions/$id"
            params={{ id: sessionId }}
            className="text-accent text-xs font-medium whitespace-nowrap underline"
          >
            Open session
          </Link>
        )}
        {onRemove && <IconButton label={`Close conversation ${number}`} icon="close" onClick={onRemove} />}
      </div>
      {sessionId === null ? (
        <EmptyState icon="play" title="A new conversation">
          Choose a model and write a message below.
        </EmptyState>
      ) : (
        <Conversation sessionId={sessionId} number={number} />
      )}
    </section>
  );
}

function Conversation({ sessionId, number }: { sessionId: string; number: number }) {
  const feed = useSessionFeed(sessionId);
  const watched = useMemo(() => ({ feed, sessionId }), [feed, sessionId]);
  const open = useOpenTurns(feed);
  const cancel = useWrite((_: null) => call('sessions', 'cancel', sessionId), {
    done: 'Cancelled',
    failed: 'Cancelling failed',
    onDone: () => feed.wake(),
  });
  return (
    <TranscriptContext value={watched}>
      <TranscriptList empty="The message is on its way." label={`Transcript ${number}`} />
      {open.length > 0 && (
        <div className="border-line flex justify-end border-t px-3 py-1.5">
          <Button icon="stop" busy={cancel.isPending} onClick={() => cancel.mutate(null)}>
            Cancel turn
          </Button>
        </div>
      )}
    </TranscriptContext>
  );
}
