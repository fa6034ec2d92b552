/**
 * All that the programs of services are made of. The build makes one file of it and of all our code that it loads, so
 * that a process has one copy of each module: a program imports nothing of ours but this (ADR 76).
 */
export { SystemClock } from '@aos/adapters/system';
export { serve } from '@aos/platform';
export { embeddedModules } from './embedded.js';
export { gatewayModules, serviceModules, serviceOptions } from './fleet.js';
