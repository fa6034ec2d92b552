import { call } from '../../api/call';
import { useAll } from '../../api/use-all';

/** Roles to tick. */
export function RoleChoices({
  chosen,
  onChange,
  disabled = false,
}: {
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
  disabled?: boolean;
}) {
  const { rows } = useAll(call('roles', 'list', { limit: 100 }));
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5" disabled={disabled}>
      <legend className="pb-1 text-xs font-medium">Roles</legend>
      {rows.map(({ id, name, description }) => (
        <label key={id} className="flex items-start gap-2">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({ target }) => onChange(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))}
            className="accent-accent mt-0.5 size-4 shrink-0"
          />
          <span className="min-w-0 wrap-anywhere">
            <bdi>{name}</bdi> {description && <span className="text-muted text-xs">{description}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
