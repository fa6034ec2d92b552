import { lazy, Suspense, useId, useState } from 'react';
import { loaded } from '../page-loading';
import type { CodeEditorProps } from './editor/props';
import type { TextFault } from './editor/schema-lint';
import { Skeleton } from './skeleton';

const Editor = lazy(() => loaded(() => import('./editor/editor')));

/** A text with colours, undo, search and folding; faults stand in the margin, the first one below it too. */
export function CodeEditor(props: CodeEditorProps) {
  const id = useId();
  const [faults, setFaults] = useState<TextFault[]>([]);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span id={id} className="text-xs font-medium">
        {props.label}
      </span>
      <Suspense fallback={<Skeleton lines={props.minLines ?? 6} />}>
        <Editor {...props} labelledBy={id} onFound={setFaults} />
      </Suspense>
      <p role="status" className="text-bad text-xs [overflow-wrap:anywhere] empty:hidden">
        {faultText(faults)}
      </p>
      <p className="text-muted text-xs">
        {props.hint} {!props.readOnly && 'Tab indents; Escape, then Tab leaves the editor.'}
      </p>
    </div>
  );
}

function faultText([first, ...others]: TextFault[]): string {
  if (first === undefined) return '';
  return `Line ${first.line}: ${first.message}${others.length === 0 ? '' : ` (and ${others.length} more)`}`;
}
