export { launchBrowser } from './browser.js';
export * from './memory-decisions.js';
