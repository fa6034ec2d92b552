import { useState } from 'react';
import { call } from '../../api/call';
import { useRows } from '../../api/hooks';
import { useAll } from '../../api/use-all';
import { Button, CallShown, DestroyByName, ErrorNote, LacksNote, Menu, Skeleton } from '../../ui';
import { groupsOf, type Role } from './permission-sets';
import { RoleEditor } from './role-editor';
import { RoleMatrix } from './role-matrix';

/** Roles beside each other, with what each may do. */
export function RolesTab() {
  const list = call('roles', 'list', { limit: 100 });
  const roles = useAll(list);
  const permissions = useRows(call('permissions', 'list'));
  const [edited, setEdited] = useState<Role | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Role | null>(null);
  if (roles.lacks !== null) return <LacksNote permission={roles.lacks} />;
  const failed = roles.error ?? permissions.error;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap justify-end gap-2">
        <CallShown call={list} />
        <Button look="primary" icon="plus" needs="svc.org.admin" onClick={() => setEdited('new')}>
          New role
        </Button>
      </div>
      {failed && <ErrorNote error={failed} onRetry={roles.reload} />}
      {roles.isPending || permissions.isPending ? (
        <Skeleton lines={8} />
      ) : (
        <RoleMatrix
          roles={roles.rows}
          groups={groupsOf(permissions.rows)}
          head={(role) => <RoleMenu of={role} onEdit={() => setEdited(role)} onDelete={() => setDeleted(role)} />}
        />
      )}
      {edited && (
        <RoleEditor
          of={edited === 'new' ? null : edited}
          permissions={permissions.rows}
          onClose={() => setEdited(null)}
        />
      )}
      {deleted && <DeleteRole of={deleted} onClose={() => setDeleted(null)} />}
    </div>
  );
}

function RoleMenu({ of, onEdit, onDelete }: { of: Role; onEdit: () => void; onDelete: () => void }) {
  return (
    <Menu
      label={`More about ${of.name}`}
      items={[
        { label: 'Edit…', icon: 'edit', needs: call('roles', 'update', of.id, {}), onSelect: onEdit },
        { label: 'Delete…', icon: 'trash', danger: true, needs: call('roles', 'delete', of.id), onSelect: onDelete },
      ]}
    />
  );
}

function DeleteRole({ of, onClose }: { of: Role; onClose: () => void }) {
  return (
    <DestroyByName
      onClose={onClose}
      title="Delete this role"
      name={of.name}
      consequence="All who have it lose what it allows, at once."
      call={call('roles', 'delete', of.id)}
      done={`${of.name} was deleted`}
      changes={['principals', 'apiKeys', 'roleAssignments']}
      onDone={onClose}
    />
  );
}
