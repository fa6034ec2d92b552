import { useEffect, useRef } from 'react';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { CodeEditorProps } from './props';
import { baseExtensions, heightOf, languageOf } from './extensions';
import { schemaFaults, type TextFault } from './schema-lint';

/** CodeMirror around a text that the page keeps. */
export default function Editor({
  language,
  value,
  onChange,
  readOnly = false,
  schema,
  onFaults,
  onFound,
  minLines = 6,
  maxLines = 28,
  labelledBy,
}: CodeEditorProps & { labelledBy: string; onFound: (faults: TextFault[]) => void }) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const handlers = useRef({ onChange, onFaults, onFound });
  const initial = useRef(value);
  useEffect(() => {
    handlers.current = { onChange, onFaults, onFound };
  });

  useEffect(() => {
    if (parent.current === null) return undefined;
    const extensions: Extension[] = [
      ...baseExtensions(),
      languageOf(language),
      heightOf(minLines, maxLines),
      EditorState.readOnly.of(readOnly),
      EditorView.contentAttributes.of({ 'aria-labelledby': labelledBy, 'aria-multiline': 'true', tabindex: '0' }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) handlers.current.onChange?.(state.doc.toString());
      }),
      language === 'markdown'
        ? []
        : schemaFaults(language, schema, (faults) => {
            handlers.current.onFaults?.(faults.length);
            handlers.current.onFound(faults);
          }),
    ];
    const made = new EditorView({ doc: initial.current, extensions, parent: parent.current });
    view.current = made;
    return () => {
      initial.current = made.state.doc.toString();
      view.current = null;
      made.destroy();
    };
  }, [language, readOnly, schema, minLines, maxLines, labelledBy]);

  useEffect(() => {
    const { current } = view;
    if (current === null || current.state.doc.toString() === value) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } });
  }, [value]);

  return <div ref={parent} className="border-line-strong/60 bg-surface overflow-hidden rounded-md border" />;
}
