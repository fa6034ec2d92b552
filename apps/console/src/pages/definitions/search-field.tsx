import { useEffect, useRef, useState } from 'react';
import { TextField } from '../../ui';

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
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
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
        timer.current = setTimeout(() => onChange(target.value.trim()), pauseMs);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        clearTimeout(timer.current);
        onChange(text.trim());
      }}
    />
  );
}
