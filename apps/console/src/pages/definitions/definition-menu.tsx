import { useState, type FormEvent, type ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { Resources } from '@aos/client';
import type { ApiCall } from '../../api/call';
import { useCheckedWrite } from '../../api/checked-write';
import { DestroyByName, Dialog, FormEnd, Menu, TextField } from '../../ui';

interface Duplicating {
  /** The schema of the contract that the copy's body has. */
  schema: string;
  bodyFor: (name: string) => object;
  callFor: (body: object) => ApiCall<Promise<unknown>>;
  /** The name of the copy to begin with. */
  name: string;
  /** What of it a copy does not take over. */
  note?: string;
}

/** Duplicate and delete: what can be done with every definition. */
export function DefinitionMenu({
  word,
  name,
  list,
  pathOf,
  duplicating,
  removing,
  consequence,
  changes,
  more = [],
}: {
  word: string;
  name: string;
  /** The list to go to after a deletion. */
  list: string;
  /** The page of what was made. */
  pathOf: (made: unknown) => string;
  duplicating: Duplicating;
  removing: ApiCall<Promise<unknown>>;
  consequence: ReactNode;
  changes?: readonly (keyof Resources)[];
  more?: readonly { label: string; needs: ApiCall | string | null; onSelect: () => void }[];
}) {
  const [open, setOpen] = useState<'duplicate' | 'delete' | null>(null);
  const navigate = useNavigate();
  return (
    <>
      <Menu
        label="More"
        items={[
          { label: 'Duplicate…', icon: 'copy', needs: duplicating.callFor({}), onSelect: () => setOpen('duplicate') },
          ...more,
          { label: 'Delete…', icon: 'trash', danger: true, needs: removing, onSelect: () => setOpen('delete') },
        ]}
      />
      {open === 'duplicate' && <Duplicate word={word} {...duplicating} pathOf={pathOf} onClose={() => setOpen(null)} />}
      {open === 'delete' && (
        <DestroyByName
          onClose={() => setOpen(null)}
          title={`Delete this ${word}`}
          name={name}
          consequence={consequence}
          call={removing}
          done={`${name} was deleted`}
          changes={changes}
          onDone={() => void navigate({ to: list })}
        />
      )}
    </>
  );
}

function Duplicate({
  word,
  schema,
  bodyFor,
  callFor,
  name,
  note,
  pathOf,
  onClose,
}: Duplicating & { word: string; pathOf: (made: unknown) => string; onClose: () => void }) {
  const [called, setCalled] = useState(name);
  const navigate = useNavigate();
  const create = useCheckedWrite(schema, callFor, {
    done: `${called} was made`,
    onDone: (made) => void navigate({ to: pathOf(made) }),
  });
  const body = bodyFor(called);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.submit(body);
  };
  return (
    <Dialog open onClose={onClose} title={`Duplicate this ${word}`} description={note}>
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <TextField
          label="Name of the copy"
          value={called}
          onChange={({ target }) => setCalled(target.value)}
          error={create.faultAt('name')}
        />
        <FormEnd call={callFor(body)} write={create} onClose={onClose}>
          Duplicate
        </FormEnd>
      </form>
    </Dialog>
  );
}
