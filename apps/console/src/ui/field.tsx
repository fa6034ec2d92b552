import { useId, type ComponentProps, type ReactNode } from 'react';
import { classes } from './class-names';

interface FieldParts {
  label: string;
  hint?: ReactNode;
  error?: string | null;
  /** The label is there for screen readers only. */
  hideLabel?: boolean;
}

const control =
  'w-full rounded-md border border-line-strong/60 bg-surface px-2.5 text-sm text-text placeholder:text-muted ' +
  'hover:border-line-strong disabled:bg-sunken disabled:text-muted aria-invalid:border-bad';

/** Label, control, hint and error of one value. `children` gets what the control must have. */
export function Field({
  label,
  hint,
  error,
  hideLabel = false,
  className,
  children,
}: FieldParts & {
  className?: string;
  children: (props: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': true | undefined;
  }) => ReactNode;
}) {
  const id = useId();
  const about = [hint ? `${id}-hint` : null, error ? `${id}-error` : null].filter(Boolean).join(' ');
  return (
    <div className={classes('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-xs font-medium'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': about === '' ? undefined : about, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className="text-muted text-xs">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-bad text-xs">
          {error}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error,
  hideLabel,
  className,
  ...props
}: FieldParts & Omit<ComponentProps<'input'>, 'id'>) {
  return (
    <Field {...{ label, hint, error, hideLabel, className }}>
      {(given) => <input type="text" {...props} {...given} className={classes(control, 'h-8')} />}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  hideLabel,
  className,
  ...props
}: FieldParts & Omit<ComponentProps<'textarea'>, 'id'>) {
  return (
    <Field {...{ label, hint, error, hideLabel, className }}>
      {(given) => <textarea rows={4} {...props} {...given} className={classes(control, 'py-1.5')} />}
    </Field>
  );
}

/** One of several: the browser's own list. */
export function Select({
  label,
  hint,
  error,
  hideLabel,
  className,
  options,
  ...props
}: FieldParts &
  Omit<ComponentProps<'select'>, 'id' | 'children'> & { options: readonly { value: string; label: string }[] }) {
  return (
    <Field {...{ label, hint, error, hideLabel, className }}>
      {(given) => (
        <select {...props} {...given} className={classes(control, 'h-8 pr-7')}>
          {options.map(({ value, label: said }) => (
            <option key={value} value={value}>
              {said}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
