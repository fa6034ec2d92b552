import { useState, type FormEvent } from 'react';
import { Link } from '@tanstack/react-router';
import type { Reply, RequestBody } from '@aos/client';
import { call } from '../../../api/call';
import { useWrite } from '../../../api/hooks';
import { Button, CallShown, ErrorNote, IconButton } from '../../../ui';
import { visibleText } from '../text/visible-text';

type Session = Reply<'getSession'>;
type Change = RequestBody<'updateSession'>;

/** The session's title, or its key where it has none. */
export function sessionName({ title, session_key }: Pick<Session, 'title' | 'session_key'>): string {
  return visibleText(title.trim() === '' ? session_key : title);
}

/** The heading of a session, which can be changed in its place. */
export function SessionHead({ session }: { session: Session }) {
  const [isEditing, setEditing] = useState(false);
  return (
    <div className="min-w-0">
      <Link to="/sessions" className="text-muted hover:text-text text-xs">
        Sessions /
      </Link>
      {isEditing ? (
        <TitleForm session={session} onDone={() => setEditing(false)} />
      ) : (
        <div className="flex min-w-0 items-center gap-1">
          <h1 dir="auto" className="min-w-0 truncate text-lg font-semibold" title={sessionName(session)}>
            {sessionName(session)}
          </h1>
          <IconButton
            label="Change the title"
            icon="edit"
            needs={call('sessions', 'update', session.id, {} as Change)}
            onClick={() => setEditing(true)}
          />
        </div>
      )}
    </div>
  );
}

function TitleForm({ session, onDone }: { session: Session; onDone: () => void }) {
  const [title, setTitle] = useState(session.title);
  const save = useWrite((body: Change) => call('sessions', 'update', session.id, body), { done: 'Saved', onDone });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ title } as Change);
  };
  return (
    <form
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && onDone()}
      className="flex flex-col gap-2 py-1"
    >
      <h1 className="sr-only">{sessionName(session)}</h1>
      <div className="flex flex-wrap items-center gap-2">
        <input
          aria-label="Title"
          dir="auto"
          autoFocus
          maxLength={512}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
          className="border-line-strong/60 bg-surface h-8 min-w-0 flex-1 rounded-md border px-2.5"
        />
        <Button look="primary" type="submit" busy={save.isPending}>
          Save
        </Button>
        <Button onClick={onDone}>Leave</Button>
        <CallShown call={call('sessions', 'update', session.id, { title } as Change)} />
      </div>
      {save.error && <ErrorNote error={save.error} />}
    </form>
  );
}
