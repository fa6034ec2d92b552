export * from './memory-decisions.js';
