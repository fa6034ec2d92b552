export * from './owned-leases.js';
export * from './silent-owners.js';
export * from './recovery-loop.js';
export * from './suspension.js';
