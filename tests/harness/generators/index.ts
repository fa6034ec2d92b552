export * from './chance.js';
export * from './exchange.js';
export * from './operations.js';
export * from './place.js';
export * from './planting.js';
export * from './recipes.js';
export * from './values.js';
