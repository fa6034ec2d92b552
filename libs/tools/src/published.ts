/** The parts of tools that other contexts and services may use. */
export { BuiltinActionsModule } from './builtins/builtin-actions.module.js';
