// Each port's whole test suite as one exported function; adapters' contract specs call them. Only test code imports
// this file.
export * from './event-store.contract.js';
export * from './read-store.contract.js';
export * from './snapshots.contract.js';
export * from './leases.contract.js';
export * from './members.contract.js';
export * from './event-log.contract.js';
export * from './blobs.contract.js';
export * from './live-bus.contract.js';
export * from './command-gateway.contract.js';
export * from './model-provider.contract.js';
export * from './clock.contract.js';
export * from './ids.contract.js';
export * from './egress.contract.js';
