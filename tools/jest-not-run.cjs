/**
 * A jest reporter that names each test that did not run: jest itself only counts those of a file that was skipped
 * whole.
 */
module.exports = class NotRun {
  constructor({ testNamePattern }) {
    this.isFiltered = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, { testResults: files }) {
    if (this.isFiltered) return; // the caller chose
    for (const { ancestorTitles, title, status } of files.flatMap(({ testResults }) => testResults)) {
      if (status === 'pending' || status === 'todo')
        console.error(`not run: ${[...ancestorTitles, title].join(' > ')}`);
    }
  }
};
