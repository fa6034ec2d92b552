const { readFileSync } = require('node:fs');

const swc = JSON.parse(readFileSync(`${__dirname}/.swcrc`, 'utf8'));
delete swc.jsc.paths;
delete swc.jsc.baseUrl;

/** The fleet's suites and long runs are started by their own tools; everything else is one `npm test`. */
module.exports = {
  testEnvironment: 'node',
  rootDir: __dirname,
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/tests', '<rootDir>/tools'],
  testMatch: ['**/!(*.engine).spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/tools/runtime/'],
  maxWorkers: 3, // suites that wait for timers and for services leave the processor to the others
  workerIdleMemoryLimit: '400MB', // a larger process takes longer to end than jest waits for
  testTimeout: 180_000, // of every test and preparation: a slow machine takes many times as long as a quick one
  setupFilesAfterEnv: ['<rootDir>/tools/jest-attempts.cjs'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false, sourceMaps: 'inline', module: { type: 'commonjs' } }],
  },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1.ts'],
    '^@aos/definitions/testing$': '<rootDir>/libs/definitions/src/testing/index.ts',
    '^@aos/platform/testing$': '<rootDir>/libs/platform/src/testing/index.ts',
    '^@aos/kernel/testing$': '<rootDir>/libs/kernel/src/testing/index.ts',
    '^@aos/composition/(embedded-program|fleet-programs)$': '<rootDir>/libs/composition/src/$1.ts',
    '^@aos/kernel/contracts$': '<rootDir>/libs/kernel/src/ports/contracts.ts',
    '^@aos/adapters/([^/]+)$': '<rootDir>/libs/adapters/$1/src/index.ts',
    '^@aos/([^/]+)/published$': '<rootDir>/libs/$1/src/published.ts',
    '^@aos/([^/]+)$': '<rootDir>/libs/$1/src/index.ts',
  },
};
