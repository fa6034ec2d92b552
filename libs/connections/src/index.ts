export { ConnectionsModule } from './connections.module.js';
export * from './published.js';
