export * from './given.js';
export * from './manual-clock.js';
export * from './counting-ids.js';
export * from './eventually.js';
export * from './while-time-passes.js';
export * from './recorded.js';
export * from './opened-response.js';
export * from './spec-engine.js';
