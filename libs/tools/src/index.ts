export { DeferringModule } from './deferring/deferring.module.js';
export { ToolsModule } from './tools.module.js';
export { InvocationsModule } from './invoking/invocations.module.js';
export * from './published.js';
