import { lazy, Suspense, useId } from 'react';
import { loaded } from '../page-loading';
import type { CodeEditorProps } from './editor/props';
import { Skeleton } from './skeleton';

const Editor = lazy(() => loaded(() => import('./editor/editor')));

/** A text with colours, faults in the margin, undo, search and folding. Escape, then Tab leaves it. */
export function CodeEditor(props: CodeEditorProps) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span id={id} className="text-xs font-medium">
        {props.label}
      </span>
      <Suspense fallback={<Skeleton lines={props.minLines ?? 6} />}>
        <Editor {...props} labelledBy={id} />
      </Suspense>
      <p className="text-muted text-xs">
        {props.hint} {!props.readOnly && 'Tab indents; Escape, then Tab leaves the editor.'}
      </p>
    </div>
  );
}
