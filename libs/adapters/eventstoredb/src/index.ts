export { EventStoreDbEventStore } from './event-store.js';
export type { EventStoreDbOptions } from './settings.js';
