/**
 * The gate's machine may be slow at any moment: with SVC_TEST_ATTEMPTS=2 a test that fails is run once more, and both
 * outcomes are printed. What draws its input by chance is never repeated.
 */
const drawsByChance = require('./draws-by-chance.cjs');

const attempts = Number(process.env.SVC_TEST_ATTEMPTS ?? '1');
const { testPath } = expect.getState();
if (attempts > 1 && !drawsByChance(testPath)) jest.retryTimes(attempts - 1, { logErrorsBeforeRetry: true });
