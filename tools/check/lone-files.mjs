// A folder says that things belong together: one file alone lies with its neighbour, unless the folder is a stream's.
import { dirname } from 'node:path';
import { streamFolders } from './streams.mjs';

export const name = 'lone-files';

export function check({ files }) {
  const streams = streamFolders(files);
  const byFolder = Map.groupBy(
    files.filter(({ path, isTest }) => !isTest && /^libs\/.*\/src\/.*\//.test(path)),
    ({ path }) => dirname(path),
  );
  return [...byFolder]
    .filter(([folder, inside]) => inside.length === 1 && !streams.has(folder))
    .map(([, [{ path }]]) => ({ where: path, what: 'is alone in its folder' }));
}
