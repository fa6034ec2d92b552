// The Python client keeps the sizes and words of the rest. Width, unused names, `Any` and complexity: ruff and pyright,
// in `npm run test:python`.
const linesMax = 400;
const testLinesMax = 700;
const functionLinesMax = 70;
const oldWords = /\b(doors?|doorbells?|bells?|turnstiles?|farewells?|restless|borne)\b/i;
const silenced = /#\s*(?:type: ignore|pyright: (?:ignore|basic)|ruff: noqa)/;
const definition = /^(\s*)(?:async )?def (\w+)/;

export const name = 'python';

export function check({ glob, read }) {
  return glob('libs/client-python/**/*.py')
    .filter((path) => !path.includes('/_generated/'))
    .flatMap((path) => faultsOf(read(path).trimEnd().split('\n'), path.includes('/tests/'), path));
}

function faultsOf(lines, isTest, path) {
  const most = isTest ? testLinesMax : linesMax;
  const faults = lines.length > most ? [{ where: path, what: `${lines.length} lines, at most ${most}` }] : [];
  for (const [at, line] of lines.entries()) {
    if (silenced.test(line)) faults.push({ where: path, what: `line ${at + 1} silences a checker` });
    if (oldWords.test(line)) faults.push({ where: path, what: `line ${at + 1} has an old word` });
    const defined = definition.exec(line);
    const length = defined ? lengthFrom(lines, at, defined[1].length) : 0;
    if (length > functionLinesMax)
      faults.push({ where: `${path}#${defined[2]}`, what: `${length} lines, at most ${functionLinesMax}` });
  }
  return faults;
}

/** Lines of a definition: up to the next text that stands no deeper. */
function lengthFrom(lines, at, indent) {
  const rest = lines.slice(at + 1);
  // The closing bracket of a signature stands as deep as the definition.
  const end = rest.findIndex(
    (line) => line.trim() !== '' && line.search(/\S/) <= indent && !line.trim().startsWith(')'),
  );
  return end < 0 ? rest.length + 1 : end + 1;
}
