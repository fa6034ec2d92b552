import { useId } from 'react';
import { classes, TextField } from '../../ui';

/** Colour keys that the console shows; any other key is kept and shown grey. */
const shown: Record<string, string> = {
  green: 'bg-good',
  amber: 'bg-warn',
  yellow: 'bg-warn',
  orange: 'bg-warn',
  red: 'bg-bad',
  pink: 'bg-bad',
  blue: 'bg-info',
  cyan: 'bg-info',
  violet: 'bg-accent',
  purple: 'bg-accent',
  indigo: 'bg-accent',
  gray: 'bg-line-strong',
};

export function ColourDot({ colour }: { colour: string | undefined }) {
  return (
    <span
      aria-hidden="true"
      className={classes(
        'mr-1 inline-block size-2.5 rounded-full align-baseline',
        colour === undefined || colour === '' ? 'border-line-strong border' : (shown[colour] ?? 'bg-line-strong'),
      )}
    />
  );
}

export function ColourField({
  value = '',
  onChange,
  error,
}: {
  value: string | undefined;
  onChange: (colour: string) => void;
  error: string | null;
}) {
  const id = useId();
  return (
    <div className="flex items-end gap-2">
      <TextField
        label="Colour"
        className="flex-1"
        list={id}
        maxLength={24}
        placeholder="none"
        value={value}
        onChange={({ target }) => onChange(target.value)}
        error={error}
      />
      <span className="flex h-8 items-center">
        <ColourDot colour={value} />
      </span>
      <datalist id={id}>
        {Object.keys(shown).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}
