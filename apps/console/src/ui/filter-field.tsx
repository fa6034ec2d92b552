import type { ComponentProps } from 'react';
import { TextField } from './field';
import { useTextOf } from './use-text-of';

/** A text that becomes a filter when Enter is pressed or the field is left. */
export function FilterField({
  value,
  onChange,
  faultOf = () => null,
  ...field
}: Omit<ComponentProps<typeof TextField>, 'value' | 'onChange' | 'error'> & {
  value: string;
  onChange: (value: string) => void;
  /** What is wrong with a text, which is no filter then. */
  faultOf?: (text: string) => string | null;
}) {
  const { text, setText } = useTextOf(value);
  const fault = text === value ? null : faultOf(text);
  const take = () => {
    if (text.trim() !== value && fault === null) onChange(text.trim());
  };
  return (
    <TextField
      type="search"
      {...field}
      value={text}
      error={fault}
      onChange={({ target }) => setText(target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take();
      }}
      onBlur={take}
    />
  );
}
