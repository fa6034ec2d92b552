// Files that grew too long to be read in one go.
const linesMax = 400;
const testLinesMax = 700;

export const name = 'file-length';

export function check({ files }) {
  return files.flatMap(({ path, lines, isTest }) => {
    const most = isTest ? testLinesMax : linesMax;
    return lines.length > most ? [{ where: path, what: `${lines.length} lines, at most ${most}` }] : [];
  });
}
