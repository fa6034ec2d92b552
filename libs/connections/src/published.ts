export { ConnectionAdministrationModule } from './administration.module.js';
export { ConnectionsReadingModule } from './connections-reading.module.js';
