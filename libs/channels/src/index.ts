export { BindingsModule } from './bindings.module.js';
export { ExchangesModule } from './exchanges.module.js';
export * from './published.js';
