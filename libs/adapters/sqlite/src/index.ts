export { SqliteEventStore, type SqliteEventStoreOptions } from './sqlite-event-store.js';
export { DirectoryInUse, holdDirectory } from './directory-hold.js';
export { ViewsFile, type ViewsFileOptions } from './views-file.js';
export { SqliteReadStore } from './sqlite-read-store.js';
export { SqliteSnapshots } from './sqlite-snapshots.js';
export { FileBlobs } from './file-blobs.js';
