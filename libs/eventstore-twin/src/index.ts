export { ProtocolServer } from './server.js';
export type { ProtocolServerOptions } from './server.js';
export { Faults } from './faults.js';
export { decide } from './decision.js';
export type { Decision, Expected, StreamFacts } from './decision.js';
