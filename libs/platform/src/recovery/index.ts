export * from './held-leases.js';
export * from './missing-holders.js';
export * from './recovery-loop.js';
export * from './suspension.js';
