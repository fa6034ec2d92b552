import { useState, type ReactNode } from 'react';
import { Badge, Button, Icon } from '../../ui';
import { holding, type Holding, type Permission, type PermissionGroup, type Role } from './permission-sets';

const alwaysShown = 8;

/** Permissions down, roles across. What a role holds by another permission is drawn fainter. */
export function RoleMatrix({
  roles,
  groups,
  head,
}: {
  roles: readonly Role[];
  groups: readonly PermissionGroup[];
  /** What can be done with a role of one's own. */
  head: (role: Role) => ReactNode;
}) {
  const [isWhole, setWhole] = useState(false);
  const shown = groups.filter(({ permissions }) => isWhole || permissions.length <= alwaysShown);
  const left = groups.filter((group) => !shown.includes(group)).flatMap(({ permissions }) => permissions);
  return (
    <div className="flex flex-col gap-3">
      <div
        role="region"
        aria-label="Roles and permissions"
        tabIndex={0}
        className="border-line bg-surface relative overflow-x-auto rounded-lg border"
      >
        <table aria-label="Roles and permissions" className="w-full border-collapse text-left">
          <thead>
            <tr className="text-xs">
              <th scope="col" className="text-muted min-w-44 px-4 py-2 font-medium">
                Permission
              </th>
              {roles.map((role) => (
                <th key={role.id} scope="col" className="px-2 py-2 text-center font-medium" title={role.description}>
                  <span className="inline-flex items-center gap-1">
                    <bdi className="max-w-32 truncate">{role.name}</bdi>
                    {!role.system_defined && head(role)}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          {shown.map((group) => (
            <Group key={group.title} group={group} roles={roles} />
          ))}
        </table>
      </div>
      {(left.length > 0 || isWhole) && (
        <div>
          <Button onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
            {isWhole ? 'Show fewer' : `Show ${left.length} single actions`}
          </Button>
        </div>
      )}
    </div>
  );
}

function Group({ group: { title, permissions }, roles }: { group: PermissionGroup; roles: readonly Role[] }) {
  return (
    <tbody>
      <tr className="bg-sunken border-line border-t">
        <th scope="colgroup" colSpan={roles.length + 1} className="text-muted px-4 py-1 text-xs font-medium">
          {title}
        </th>
      </tr>
      {permissions.map((permission) => (
        <tr key={permission.id} className="border-line hover:bg-hover border-t">
          <th scope="row" className="px-4 py-1.5 font-normal" title={permission.description}>
            <PermissionName of={permission} />
          </th>
          {roles.map((role) => (
            <td key={role.id} className="px-2 py-1.5 text-center">
              <Mark holding={holding(role.permissions, permission.id)} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

const riskTones = { low: 'neutral', medium: 'neutral', high: 'warn', critical: 'bad' } as const;

export function PermissionName({ of: { id, label, risk } }: { of: Permission }) {
  return (
    <span className="block min-w-0">
      <span className="flex flex-wrap items-center gap-x-2">
        <bdi className="wrap-anywhere">{label}</bdi>
        {(risk === 'high' || risk === 'critical') && <Badge tone={riskTones[risk]}>{risk}</Badge>}
      </span>
      {label !== id && <code className="text-muted block font-mono text-xs break-all">{id}</code>}
    </span>
  );
}

function Mark({ holding: of }: { holding: Holding }) {
  if (of === 'no') return <span className="sr-only">no</span>;
  return (
    <span
      className={of === 'held' ? 'text-good inline-block' : 'text-muted inline-block'}
      title={of === 'held' ? undefined : 'By another permission'}
    >
      <Icon name="check" size={of === 'held' ? 18 : 14} />
      <span className="sr-only">{of === 'held' ? 'yes' : 'yes, by another permission'}</span>
    </span>
  );
}
