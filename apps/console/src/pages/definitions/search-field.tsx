import { useEffect, useRef } from 'react';
import { TextField, useTextOf } from '../../ui';

const pauseMs = 250;

/** A search that is kept in the page's address a moment after the last letter. */
export function SearchField({
  label,
  value,
  onChange,
  className = 'w-72 max-w-full',
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
  className?: string;
}) {
  const { text, setText, tell } = useTextOf(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const take = (written: string): void => {
    clearTimeout(timer.current);
    tell(written.trim());
    onChange(written.trim());
  };
  return (
    <TextField
      type="search"
      label={label}
      hideLabel
      placeholder={label}
      className={className}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => take(target.value), pauseMs);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        take(text);
      }}
    />
  );
}
