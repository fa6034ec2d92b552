export { SqliteEventStore, type SqliteEventStoreOptions } from './sqlite-event-store.js';
export { DirectoryInUse, holdDirectory } from './directory-hold.js';
