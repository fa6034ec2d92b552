import NotRun from './jest-not-run.cjs';

const results = {
  testResults: [
    {
      testResults: [
        { ancestorTitles: ['Redis', 'outage'], title: 'a kill', status: 'pending' },
        { ancestorTitles: [], title: 'EventStoreDB', status: 'todo' },
        { ancestorTitles: ['Redis'], title: 'a read', status: 'passed' },
      ],
    },
  ],
};

describe('what did not run is not passed', () => {
  let lines: unknown[];
  beforeEach(() => {
    lines = [];
    jest.spyOn(console, 'error').mockImplementation((line) => {
      lines.push(line);
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('tests that were skipped are named', () => {
    new NotRun({}).onRunComplete(new Set(), results);
    expect(lines).toEqual(['not run: Redis > outage > a kill', 'not run: EventStoreDB']);
  });

  it('what the caller filtered out is not named', () => {
    new NotRun({ testNamePattern: 'read' }).onRunComplete(new Set(), results);
    expect(lines).toEqual([]);
  });
});
