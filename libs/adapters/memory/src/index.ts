export { MemoryEventStore, type AppendFaults, type MemoryEventStoreOptions } from './memory-event-store.js';
export { MemoryEventLog } from './memory-event-log.js';
export { MemoryReadStore } from './memory-read-store.js';
export { MemoryBlobs } from './memory-blobs.js';
export { MemoryLeases } from './memory-leases.js';
export { MemoryMembers } from './memory-members.js';
export { MemorySnapshots } from './memory-snapshots.js';
export { MemoryLiveBus, type MemoryLiveBusOptions } from './memory-live-bus.js';
