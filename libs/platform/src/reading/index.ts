export { ReadingThreads, type ReadingFailure } from './reading-threads.js';
