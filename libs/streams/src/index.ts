export { StreamsModule } from './streams.module.js';
export * from './published.js';
