export { ConnectionAdministrationModule } from './administration.module.js';
export { ConnectionsReadingModule } from './connections-reading.module.js';
export { ConnectionDispatch, type ConnectionUse, type UsedConnection } from './dispatch/connection-dispatch.js';
