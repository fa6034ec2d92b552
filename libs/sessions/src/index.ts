export { SessionsModule } from './sessions.module.js';
export * from './published.js';
