import { lintGutter, linter, type Diagnostic } from '@codemirror/lint';
import type { Extension, Text } from '@codemirror/state';
import { isNode, parseDocument } from 'yaml';
import { faultsBySchema } from '../../api/schemas';

const delayMs = 300;

export interface TextFault {
  line: number;
  message: string;
}

/** Marks what is no JSON or YAML, and what the contract's schema refuses, where it stands in the text. */
export function schemaFaults(
  language: 'json' | 'yaml',
  schema: string | undefined,
  onFaults: (faults: TextFault[]) => void,
): Extension {
  const source = async ({ state: { doc } }: { state: { doc: Text } }): Promise<Diagnostic[]> => {
    const found = await faultsIn(doc.toString(), language, schema);
    onFaults(found.map(({ from, message }) => ({ line: doc.lineAt(from).number, message })));
    return found;
  };
  return [lintGutter(), linter(source, { delay: delayMs })];
}

async function faultsIn(text: string, language: 'json' | 'yaml', schema: string | undefined): Promise<Diagnostic[]> {
  const document = parseDocument(text); // JSON is YAML too, which gives the position of each value
  const broken = language === 'json' ? jsonFault(text) : null;
  if (broken !== null) return [broken];
  const errors = document.errors.map(({ pos: [from, to], message }) => fault(text, from, to, message));
  if (errors.length > 0 || schema === undefined) return errors;
  const found = await faultsBySchema(schema, document.toJS());
  return found.map(({ path, message }) => {
    const [from, to] = rangeAt(document, path);
    return fault(text, from, to, path.length === 0 ? message : `${path.join('.')}: ${message}`);
  });
}

function jsonFault(text: string): Diagnostic | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const at = Number(/position (\d+)/.exec(error.message)?.[1] ?? text.length);
    return fault(text, at, at + 1, error.message);
  }
}

/** The value at a path, or the nearest thing around it. */
function rangeAt(document: ReturnType<typeof parseDocument>, path: readonly (string | number)[]): [number, number] {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return [node.range[0], node.range[1]];
  }
  return [0, 1];
}

function fault(text: string, from: number, to: number, message: string): Diagnostic {
  const start = Math.min(from, text.length);
  return { from: start, to: Math.min(Math.max(to, start), text.length), severity: 'error', message };
}
