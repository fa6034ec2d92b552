export { ReadingProcesses, type ReadingFailure } from './reading-processes.js';
