// Which folders are a stream's: they declare its events or its kind.
import { dirname } from 'node:path';

export function streamFolders(files) {
  return new Set(files.filter(declaresStream).map(({ path }) => dirname(path)));
}

function declaresStream({ path, text }) {
  return path.endsWith('.events.ts') || (path.endsWith('.state.ts') && text.includes(': StreamKind<'));
}
