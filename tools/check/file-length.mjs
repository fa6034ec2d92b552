// Files that grew too long to be read in one go.
const LINES_MAX = 400;
const TEST_LINES_MAX = 700;

export const name = 'file-length';

export function check({ files }) {
  return files.flatMap(({ path, lines, isTest }) => {
    const most = isTest ? TEST_LINES_MAX : LINES_MAX;
    return lines.length > most ? [{ where: path, what: `${lines.length} lines, at most ${most}` }] : [];
  });
}
