import { useState, type ReactNode } from 'react';
import { TextArea } from '../../ui';

/** A list of texts, one a line. Empty lines and repeats are not given on. */
export function LinesField({
  label,
  value,
  onChange,
  hint,
  placeholder,
  error = null,
  rows = 3,
  required = false,
}: {
  label: string;
  value: readonly string[];
  onChange: (lines: string[]) => void;
  hint?: ReactNode;
  placeholder?: string;
  error?: string | null;
  rows?: number;
  required?: boolean;
}) {
  const [text, setText] = useState(value.join('\n'));
  const shown = linesOf(text).join('\n') === value.join('\n') ? text : value.join('\n');
  return (
    <TextArea
      label={label}
      rows={rows}
      required={required}
      spellCheck={false}
      placeholder={placeholder}
      hint={hint ?? 'One a line.'}
      value={shown}
      error={error}
      onChange={({ target }) => {
        setText(target.value);
        onChange(linesOf(target.value));
      }}
    />
  );
}

function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}
