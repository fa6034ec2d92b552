/**
 * All that the program of one process is made of, as one file of the build (ADR 76). It loads every context at once,
 * where a program of a fleet loads its own: what is loaded later is called through more steps.
 */
export { SystemClock } from '@aos/adapters/system';
export { serve } from '@aos/platform';
export { embeddedModules } from './embedded.js';
