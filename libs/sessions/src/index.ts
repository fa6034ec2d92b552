export * from './published.js';
