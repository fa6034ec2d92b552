import { useState, type FormEvent } from 'react';
import type { RequestBody } from '@aos/client';
import { useQuery } from '@tanstack/react-query';
import { call, carryOut } from '../../api/call';
import { useService, useWrite } from '../../api/hooks';
import { Dialog, FormEnd, Select, TextArea, TextField } from '../../ui';
import { groupsOf, holding, type Permission, type PermissionGroup, type Role } from './permission-sets';
import { PermissionName } from './role-matrix';

type CreateBody = RequestBody<'createRole'>;
type UpdateBody = RequestBody<'updateRole'>;

/** Makes a role, or changes one of the organization's own. Its name is fixed once it is made. */
export function RoleEditor({
  of,
  permissions,
  onClose,
}: {
  of: Role | null;
  permissions: readonly Permission[];
  onClose: () => void;
}) {
  const [name, setName] = useState(of?.name ?? '');
  const [description, setDescription] = useState(of?.description ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(of?.permissions ?? []);
  const saving = useSaving(of, { name, description, chosen }, onClose);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saving.write();
  };
  return (
    <Dialog open wide onClose={onClose} title={of ? `Edit ${of.name}` : 'New role'}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {of === null && (
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Name"
              hint="It does not change later."
              required
              maxLength={128}
              dir="auto"
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
            <PresetField onChoose={setChosen} />
          </div>
        )}
        <TextArea
          label="Description"
          rows={2}
          maxLength={1024}
          dir="auto"
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
        {groupsOf(permissions.filter(({ assignable }) => assignable)).map((group) => (
          <PermissionChoices key={group.title} group={group} chosen={chosen} onChange={setChosen} />
        ))}
        <FormEnd call={saving.call} write={saving} onClose={onClose}>
          {of ? 'Save' : 'Make role'}
        </FormEnd>
      </form>
    </Dialog>
  );
}

interface Draft {
  name: string;
  description: string;
  chosen: readonly string[];
}

function useSaving(of: Role | null, { name, description, chosen }: Draft, onDone: () => void) {
  const changes = ['principals', 'me'] as const;
  const creating = call('roles', 'create', {
    name,
    ...(description !== '' && { description }),
    permissions: [...chosen],
  } as CreateBody);
  const updating = call('roles', 'update', of?.id ?? '', { description, permissions: [...chosen] } as UpdateBody);
  const create = useWrite(() => creating, { done: `${name} was made`, onDone });
  const update = useWrite(() => updating, { done: 'Saved', changes, onDone });
  return of === null
    ? { call: creating, write: () => create.mutate(undefined), error: create.error, isPending: create.isPending }
    : { call: updating, write: () => update.mutate(undefined), error: update.error, isPending: update.isPending };
}

/** Ready-made bundles to begin with. */
function PresetField({ onChoose }: { onChoose: (permissions: readonly string[]) => void }) {
  const svc = useService();
  const { data: presets = [] } = useQuery({
    queryKey: ['permissions', 'presets'],
    queryFn: async ({ signal }) => (await carryOut(svc, call('permissions', 'list'), signal).page()).presets,
  });
  return (
    <Select
      label="Begin with"
      defaultValue=""
      options={[{ value: '', label: 'Nothing' }, ...presets.map(({ id, label }) => ({ value: id, label }))]}
      onChange={({ target }) => onChoose(presets.find(({ id }) => id === target.value)?.permissions ?? [])}
    />
  );
}

function PermissionChoices({
  group: { title, permissions },
  chosen,
  onChange,
}: {
  group: PermissionGroup;
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  const toggle = (id: string, isOn: boolean): void =>
    onChange(isOn ? [...chosen, id] : chosen.filter((one) => one !== id));
  return (
    <fieldset className="border-line min-w-0 border-t pt-3">
      <legend className="float-left w-full pb-2 text-xs font-medium">{title}</legend>
      <div className="clear-both grid max-h-72 gap-x-4 gap-y-2 overflow-y-auto sm:grid-cols-2">
        {permissions.map((permission) => {
          const isImplied = holding(chosen, permission.id) === 'implied';
          return (
            <label key={permission.id} className="flex items-start gap-2" title={permission.description}>
              <input
                type="checkbox"
                checked={chosen.includes(permission.id)}
                onChange={({ target }) => toggle(permission.id, target.checked)}
                className="accent-accent mt-0.5 size-4 shrink-0"
              />
              <span className="min-w-0">
                <PermissionName of={permission} />
                {isImplied && <span className="text-muted block text-xs">comes with another one</span>}
              </span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}
