import { useEffect, useRef } from 'react';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { baseExtensions, heightOf, languageOf } from './extensions';
import type { DiffProps } from './props';

/** CodeMirror with the text after a change, and the lines before it in between. */
export default function Diff({ label, language, before, after }: DiffProps) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (parent.current === null) return undefined;
    const view = new EditorView({
      doc: after,
      parent: parent.current,
      extensions: [
        ...baseExtensions(),
        languageOf(language),
        heightOf(3, 40),
        EditorState.readOnly.of(true),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
      ],
    });
    return () => view.destroy();
  }, [label, language, before, after]);
  return <div ref={parent} className="border-line overflow-hidden rounded-md border" />;
}
