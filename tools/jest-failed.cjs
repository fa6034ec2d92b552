const { writeFileSync } = require('node:fs');
const drawsByChance = require('./draws-by-chance.cjs');

/**
 * A jest reporter that writes into JEST_FAILED which suites failed, and of each whether it was unprepared: that a test
 * of it failed which had no second attempt, since `beforeAll`, `afterAll` or the file itself threw.
 */
module.exports = class Failed {
  onRunComplete(_contexts, { testResults: files }) {
    const failed = files
      .filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError)
      .map(({ testFilePath: path, testResults, testExecError }) => ({
        path,
        unprepared: !drawsByChance(path) && (Boolean(testExecError) || testResults.some(failedAtOnce)),
      }));
    writeFileSync(process.env.JEST_FAILED, JSON.stringify(failed));
  }
};

const failedAtOnce = ({ status, invocations }) => status === 'failed' && (invocations ?? 1) < 2;
