export * from './exchange.js';
export * from './operations.js';
export * from './place.js';
export * from './recipes.js';
export * from './values.js';
