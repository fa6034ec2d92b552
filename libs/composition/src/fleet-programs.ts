/**
 * All that the programs of a fleet are made of. The build makes one file of it and of all our code that it loads, so
 * that a process has one copy of each module: these programs import nothing of ours but this (ADR 76).
 */
export { SystemClock } from '@aos/adapters/system';
export { serve } from '@aos/platform';
export { gatewayModules, serviceModules, serviceOptions } from './fleet.js';
