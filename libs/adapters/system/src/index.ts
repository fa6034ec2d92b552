export * from './system-clock.js';
export * from './system-ids.js';
