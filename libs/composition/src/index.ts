export * from './ports.module.js';
export * from './embedded-ports.js';
export * from './log-administration.js';
export * from './fleet-ports.js';
export * from './fleet.js';
export * from './log-usages.js';
