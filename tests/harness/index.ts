jest.setTimeout(60_000);

export * from './actions.js';
export * from './mails.js';
export * from './agent-service.js';
export * from './client.js';
export * from './command-line.js';
export * from './cut-proxy.js';
export { contract, contractText, statusOfCode } from './contract.js';
export * from './events.js';
export * from './fold.js';
export * from './oauth-issuer.js';
export * from './organizations.js';
export * from './raw.js';
export * from './service.js';
export * from './sse.js';
export * from './uploads.js';
export * from './waiting.js';
export * from './wire.js';
