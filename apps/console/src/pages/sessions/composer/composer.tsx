import { useRef, useState, type KeyboardEvent } from 'react';
import { ApiError, type RequestBody } from '@aos/client';
import { call } from '../../../api/call';
import { useRows, useWrite } from '../../../api/hooks';
import { useLacks } from '../../../api/permissions';
import { Button, CallShown, ErrorNote, IconButton, LacksNote, Switch } from '../../../ui';
import { visibleText } from '../text/visible-text';
import { useTranscript } from '../transcript/transcript-context';
import { composerState } from './composer-state';
import { useOpenTurns } from './open-turns';

const rowsMax = 10;

/** The bar under a transcript: it starts a turn, steers the open one, wakes it where it waits, and cancels it. */
export function Composer({ status }: { status: 'active' | 'archived' | 'deleted' }) {
  const { feed, sessionId } = useTranscript();
  const [text, setText] = useState('');
  const [isWaking, setWaking] = useState(true);
  const field = useRef<HTMLTextAreaElement>(null);
  const openTurns = useOpenTurns(feed);
  const nudges = useRows(call('sessions', 'listNudges', sessionId, { status: ['pending'], limit: 50 }), {
    enabled: openTurns.length > 0,
  });
  const pending = openTurns.length > 0 ? nudges.rows : [];
  const lacks = useLacks('svc.resource.use');
  const state = composerState({
    status,
    openTurns: openTurns.map((turn) => turn.status),
    mayUse: lacks === null,
    pendingNudges: pending.length,
  });
  const done = {
    changes: ['sessions', 'nudges', 'turns'] as const,
    onDone: () => {
      setText('');
      feed.wake();
      field.current?.focus();
    },
  };
  const start = useWrite((said: string) => call('turns', 'start', sessionId, turnBody(said)), done);
  const nudge = useWrite((body: NudgeBody) => call('sessions', 'nudge', sessionId, body), done);
  const cancel = useWrite((_: null) => call('sessions', 'cancel', sessionId), {
    done: 'Cancelled',
    changes: ['turns'],
    onDone: () => feed.wake(),
  });
  const isBusy = start.isPending || nudge.isPending;
  const nudgeBody = { content: text, ...(state.canWake && isWaking ? { wake: true } : {}) } as NudgeBody;

  const send = () => {
    if (text.trim() === '' || isBusy) return;
    start.reset();
    nudge.reset();
    if (state.send === 'turn') start.mutate(text);
    if (state.send === 'nudge') nudge.mutate(nudgeBody);
  };
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
  const shownCall =
    state.send === 'nudge'
      ? call('sessions', 'nudge', sessionId, nudgeBody)
      : call('turns', 'start', sessionId, turnBody(text));
  const error = start.error ?? nudge.error ?? cancel.error ?? nudges.error;
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
            {state.canWake && <Switch label="Wake it" checked={isWaking} onChange={setWaking} />}
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

type NudgeBody = RequestBody<'nudgeSession'>;

function turnBody(text: string): RequestBody<'startTurn'> {
  return { input: { content: [{ type: 'text', text }] } } as RequestBody<'startTurn'>;
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
