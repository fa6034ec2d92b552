export * from './event-store.js';
export * from './event-log.js';
export * from './read-store.js';
export * from './small-ports.js';
export * from './model-provider.js';
