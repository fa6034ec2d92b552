export * from './ports.module.js';
export * from './embedded.ports.js';
export * from './embedded.js';
