import { useEffect, useRef, useState } from 'react';
import { CodeEditor } from '../../ui';

/** A whole body as JSON, marked by a schema of the contract. Text that is no JSON stays in the editor. */
export function JsonForm<Body extends object>({
  label,
  schema,
  body,
  readOnly = false,
  onChange,
  onFaults,
}: {
  label: string;
  schema?: string;
  body: Body;
  readOnly?: boolean;
  onChange: (body: Body) => void;
  onFaults: (count: number) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(body, null, 2));
  const written = useRef(JSON.stringify(body));
  const isOther = JSON.stringify(body) !== written.current;
  useEffect(() => {
    if (!isOther) return;
    written.current = JSON.stringify(body);
    setText(JSON.stringify(body, null, 2));
  }, [isOther, body]);
  useEffect(() => () => onFaults(0), [onFaults]);

  const change = (next: string): void => {
    setText(next);
    const read = objectFrom<Body>(next);
    if (read === null) {
      onFaults(1); // the editor marks where
      return;
    }
    written.current = JSON.stringify(read);
    onChange(read);
  };
  return (
    <CodeEditor
      label={label}
      language="json"
      schema={schema}
      value={text}
      readOnly={readOnly}
      onChange={change}
      onFaults={onFaults}
      minLines={10}
      maxLines={32}
    />
  );
}

/** Gives the object that a text is; null for what is none. */
export function objectFrom<Body extends object>(text: string): Body | null {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Body) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
