export { ConnectionAdministrationModule } from './administration.module.js';
export { AgentGrants } from './connections/agent-grants.js';
export { ConnectionsModule } from './connections.module.js';
export { ConnectionsReadingModule } from './connections-reading.module.js';
export { ConnectionDirectory } from './connection/connection-directory.js';
export type { ConnectionRecord } from './connection/connection.events.js';
export { ConnectionSecrets } from './secret/connection-secrets.js';
export {
  ConnectionDispatch,
  type ConnectionUse,
  type OpenedConnection,
  type UsedConnection,
} from './dispatch/connection-dispatch.js';
export { EchoFilter } from './dispatch/echo-filter.js';
export { GrantingConnections } from './dispatch/granting-connections.js';
