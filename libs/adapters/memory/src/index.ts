export { MemoryEventStore, type AppendFaults, type MemoryEventStoreOptions } from './memory-event-store.js';
export { MemoryEventLog } from './memory-event-log.js';
export { MemoryReadStore } from './memory-read-store.js';
export { MemoryBlobs, MemoryLeases, MemorySnapshots } from './memory-small-ports.js';
export { MemoryLiveBus, type MemoryLiveBusOptions } from './memory-live-bus.js';
