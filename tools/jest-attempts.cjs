/**
 * The gate's machine may be slow at any moment: with SVC_TEST_ATTEMPTS=2 a test that fails is run once more, and both
 * outcomes are printed. What draws its input by chance is never repeated: its next draw would hide what the first one
 * found.
 */
const { readFileSync } = require('node:fs');

const attempts = Number(process.env.SVC_TEST_ATTEMPTS ?? '1');
const { testPath } = expect.getState();
const drawsByChance =
  testPath.includes('/tests/simulation/') || readFileSync(testPath, 'utf8').includes("'fast-check'");
if (attempts > 1 && !drawsByChance) jest.retryTimes(attempts - 1, { logErrorsBeforeRetry: true });
