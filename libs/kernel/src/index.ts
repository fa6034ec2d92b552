export * from './json.js';
export * from './events.js';
export * from './decider.js';
export * from './refusal.js';
export * from './ids.js';
export * from './identity.js';
export * from './public-events.js';
export * from './ports/index.js';
