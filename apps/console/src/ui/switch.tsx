import * as Radix from '@radix-ui/react-switch';
import { useId } from 'react';

/** On or off, with its words beside it. */
export function Switch({
  label,
  checked,
  onChange,
  disabled = false,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-2">
      <Radix.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        className="bg-line-strong data-[state=checked]:bg-accent h-4.5 w-8 rounded-full p-0.5 disabled:opacity-55"
      >
        <Radix.Thumb className="bg-surface block size-3.5 rounded-full transition-transform data-[state=checked]:translate-x-3.5" />
      </Radix.Root>
      <label htmlFor={id} className="text-sm">
        {label}
      </label>
    </span>
  );
}
