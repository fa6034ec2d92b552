export { ToolsModule } from './tools.module.js';
export * from './published.js';
