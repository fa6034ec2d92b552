export * from './decisions/act.js';
export * from './decisions/payloads.js';
export * from './decisions/decisions.js';
export * from './projections/writer-projections.js';
