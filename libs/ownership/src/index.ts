export { OwnershipModule } from './ownership.module.js';
export * from './published.js';
