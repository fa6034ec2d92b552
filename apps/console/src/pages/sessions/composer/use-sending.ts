import { useState, type RefObject } from 'react';
import type { RequestBody } from '@aos/client';
import { call } from '../../../api/call';
import { useRows, useWrite } from '../../../api/hooks';
import { useTranscript } from '../transcript/transcript-context';
import { composerState } from './composer-state';
import { textAfter } from './text-after';
import { useOpenTurns } from './open-turns';

type NudgeBody = RequestBody<'nudgeSession'>;

/** What the bar of a session sends: a turn, a nudge or a cancel, with the calls that do it and how they went. */
export function useSending(
  status: 'active' | 'archived' | 'deleted',
  mayUse: boolean,
  field: RefObject<HTMLTextAreaElement | null>,
) {
  const { feed, sessionId } = useTranscript();
  const [text, setText] = useState('');
  const [isWaking, setWaking] = useState(true);
  const openTurns = useOpenTurns(feed).map((turn) => turn.status);
  const isOpen = openTurns.length > 0;
  const nudges = useRows(call('sessions', 'listNudges', sessionId, { status: ['pending'], limit: 50 }), {
    enabled: isOpen,
  });
  const pending = isOpen ? nudges.rows : [];
  const state = composerState({ status, openTurns, mayUse, pendingNudges: pending.length });
  const changes = ['sessions', 'nudges', 'turns'] as const;
  const onSent = (said: string) => {
    setText((now) => textAfter(now, said));
    feed.wake();
    field.current?.focus();
  };
  const start = useWrite((said: string) => call('turns', 'start', sessionId, turnBody(said)), {
    changes,
    onDone: (_turn, said) => onSent(said),
  });
  const nudge = useWrite((body: NudgeBody) => call('sessions', 'nudge', sessionId, body), {
    changes,
    onDone: (_nudge, { content }) => onSent(content),
  });
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
  const shownCall =
    state.send === 'nudge'
      ? call('sessions', 'nudge', sessionId, nudgeBody)
      : call('turns', 'start', sessionId, turnBody(text));
  const error = start.error ?? nudge.error ?? cancel.error ?? nudges.error;
  return { state, text, setText, isWaking, setWaking, pending, error, isBusy, send, cancel, shownCall };
}

function turnBody(text: string): RequestBody<'startTurn'> {
  return { input: { content: [{ type: 'text', text }] } } as RequestBody<'startTurn'>;
}
