import { useRef, type KeyboardEvent } from 'react';
import { ApiError } from '@aos/client';
import { call } from '../../../api/call';
import { useWrite } from '../../../api/hooks';
import { useLacks } from '../../../api/permissions';
import { Button, CallShown, ErrorNote, IconButton, LacksNote, Switch } from '../../../ui';
import { visibleText } from '../text/visible-text';
import { useTranscript } from '../transcript/transcript-context';
import { useSending } from './use-sending';

const rowsMax = 10;

/** The bar under a transcript: it starts a turn, steers the open one, wakes it where it waits, and cancels it. */
export function Composer({ status }: { status: 'active' | 'archived' | 'deleted' }) {
  const { sessionId } = useTranscript();
  const lacks = useLacks('svc.resource.use');
  const field = useRef<HTMLTextAreaElement>(null);
  const sending = useSending(status, lacks === null, field);
  const { state, text, setText, pending, error, isBusy, send, cancel, shownCall } = sending;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  if (lacks !== null)
    return (
      <div className="mx-auto w-full max-w-3xl px-3 py-3 md:px-4">
        <LacksNote permission={lacks} />
      </div>
    );
  return (
    <div className="border-line bg-surface border-t">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-2 px-3 py-3 md:px-4">
        {pending.length > 0 && <PendingNudges nudges={pending} />}
        {error && <ErrorNote error={explained(error)} />}
        {state.reason !== null && <p className="text-muted">{state.reason}</p>}
        <div className="border-line-strong/60 focus-within:border-accent bg-surface rounded-lg border">
          <textarea
            ref={field}
            aria-label={state.send === 'nudge' ? 'Nudge' : 'Message'}
            dir="auto"
            rows={Math.min(rowsMax, Math.max(2, text.split('\n').length))}
            placeholder={state.send === 'nudge' ? 'Steer the turn that runs…' : 'Write to the agent…'}
            value={text}
            disabled={state.send === null}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
            className="block w-full resize-none bg-transparent px-3 pt-2.5 pb-1 outline-none placeholder:text-muted"
          />
          <div className="flex flex-wrap items-center gap-2 px-2 pb-2">
            <CallShown call={shownCall} />
            <span className="text-muted text-2xs max-sm:hidden">Enter sends, Shift+Enter breaks the line</span>
            <span className="flex-1" />
            {state.canWake && <Switch label="Wake it" checked={sending.isWaking} onChange={sending.setWaking} />}
            {state.canCancel && (
              <Button
                icon="stop"
                busy={cancel.isPending}
                needs={call('sessions', 'cancel', sessionId)}
                onClick={() => cancel.mutate(null)}
              >
                Cancel turn
              </Button>
            )}
            <Button
              look="primary"
              icon="send"
              busy={isBusy}
              disabled={state.send === null || text.trim() === ''}
              onClick={send}
            >
              {state.send === 'nudge' ? 'Nudge' : 'Send'}
            </Button>
          </div>
        </div>
      </div>
    </div>
  );
}

/** A turn that began meanwhile is no fault: the bar has another word by then. */
function explained(error: Error): Error {
  if (!ApiError.is(error, 'session_turn_active')) return error;
  return new ApiError({ ...error, message: 'Another turn began meanwhile. Send it again: it steers that turn.' });
}

/** Nudges that the turn has not taken yet; each may be taken back. */
function PendingNudges({ nudges }: { nudges: readonly { id: string; content: string }[] }) {
  const { sessionId } = useTranscript();
  const take = useWrite((id: string) => call('nudges', 'cancel', sessionId, id), {
    done: 'The nudge was taken back',
    changes: ['sessions'],
  });
  return (
    <ul aria-label="Nudges that wait" className="flex flex-col gap-1">
      {nudges.map(({ id, content }) => (
        <li key={id} className="bg-info-soft flex items-center gap-2 rounded-md ps-3 text-xs">
          <span className="text-info font-medium">Nudge waits</span>
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {visibleText(content.slice(0, 400))}
          </span>
          <IconButton
            label="Take the nudge back"
            icon="close"
            busy={take.isPending}
            needs={call('nudges', 'cancel', sessionId, id)}
            onClick={() => take.mutate(id)}
          />
        </li>
      ))}
      {take.error && <ErrorNote error={take.error} />}
    </ul>
  );
}
