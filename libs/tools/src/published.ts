/** What other contexts and services may use of tools. */
export { BuiltinActionsModule } from './builtins/builtin-actions.module.js';
