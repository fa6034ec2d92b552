import { Link } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useAll } from '../../api/use-all';
import { IconButton, Select } from '../../ui';

/** The skills of an agent, in order. */
export function SkillsField({
  value = [],
  onChange,
  error,
}: {
  value: string[] | undefined;
  onChange: (ids: string[]) => void;
  error: string | null;
}) {
  const skills = useAll(call('skills', 'list', { limit: 100 }));
  const nameOf = (id: string): string => skills.rows.find((skill) => skill.id === id)?.name ?? id;
  const left = skills.rows.filter(({ id }) => !value.includes(id));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="pb-1 text-xs font-medium">Skills</legend>
      {value.length === 0 && <p className="text-muted text-xs">None.</p>}
      {value.map((id) => (
        <div key={id} className="border-line flex items-center gap-2 rounded-md border pl-2.5">
          <Link to="/skills/$id" params={{ id }} className="min-w-0 flex-1 truncate hover:underline">
            {nameOf(id)}
          </Link>
          <IconButton
            label={`Take ${nameOf(id)} away`}
            icon="close"
            onClick={() => onChange(value.filter((other) => other !== id))}
          />
        </div>
      ))}
      {left.length > 0 && (
        <Select
          label="Add a skill"
          hideLabel
          className="w-56 max-w-full"
          options={[
            { value: '', label: 'Add a skill…' },
            ...left.map(({ id, name, title }) => ({ value: id, label: title ?? name })),
          ]}
          value=""
          onChange={({ target }) => target.value !== '' && onChange([...value, target.value])}
        />
      )}
      {error && <p className="text-bad text-xs">{error}</p>}
    </fieldset>
  );
}
