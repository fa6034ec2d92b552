import { useEffect, useRef, type ReactNode } from 'react';
import type { ApiCall } from '../../api/call';
import type { CheckedWrite } from '../../api/checked-write';
import { Button, CallShown, ErrorNote } from '../../ui';
import { FaultList } from './fault-list';
import type { Draft } from './use-draft';

/** A form around a draft, with what was refused and a bar that saves it. */
export function DraftForm<Body extends object>({
  draft,
  save,
  call,
  faultCount = 0,
  refused = null,
  children,
}: {
  draft: Draft<Body>;
  save: CheckedWrite<Partial<Body>>;
  /** The call that saving makes. */
  call: ApiCall;
  /** Faults that an editor shows in its text. */
  faultCount?: number;
  /** Why nothing can be saved. */
  refused?: string | null;
  children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  useFocusOnFault(form, save.isPending);
  const isReady = draft.isChanged && faultCount === 0 && refused === null;
  return (
    <form
      ref={form}
      noValidate
      className="flex min-w-0 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) save.submit(draft.changes);
      }}
    >
      {children}
      {draft.isChanged && draft.isBehind && <Behind onTake={draft.reset} />}
      {save.error && <ErrorNote error={save.error} />}
      <FaultList faults={save.faults} />
      <div className="border-line bg-surface sticky bottom-0 z-10 -mx-4 -mb-4 flex flex-wrap items-center justify-between gap-2 rounded-b-lg border-t px-4 py-2.5">
        <CallShown call={call} label="Save call" />
        <div className="flex flex-wrap items-center gap-2">
          <span className="text-muted text-xs">{refused ?? changedText(draft)}</span>
          {draft.isChanged && (
            <Button
              onClick={() => {
                draft.reset();
                save.reset();
              }}
            >
              Discard
            </Button>
          )}
          <Button look="primary" type="submit" needs={call} disabled={!isReady} busy={save.isPending}>
            Save
          </Button>
        </div>
      </div>
    </form>
  );
}

function changedText<Body extends object>({ changes }: Draft<Body>): string {
  const names = Object.keys(changes);
  if (names.length === 0) return 'Nothing changed';
  return `Changed: ${names.map((name) => name.replace(/_/g, ' ')).join(', ')}`;
}

function Behind({ onTake }: { onTake: () => void }) {
  return (
    <div role="status" className="bg-warn-soft flex flex-wrap items-center justify-between gap-2 rounded-md px-3 py-2">
      <p>It was changed elsewhere since you began. Saving sends only what you changed.</p>
      <Button onClick={onTake}>Take what is stored</Button>
    </div>
  );
}

/** After a refusal the first field that was refused has the focus. */
function useFocusOnFault(form: React.RefObject<HTMLFormElement | null>, isPending: boolean): void {
  const wasPending = useRef(false);
  useEffect(() => {
    if (wasPending.current && !isPending) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    wasPending.current = isPending;
  }, [form, isPending]);
}
