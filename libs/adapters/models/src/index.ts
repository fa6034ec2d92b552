export { AiModelProvider } from './ai-model-provider.js';
export type { AiModelOptions } from './ai-model-provider.js';
export { CompositeModelProvider } from './composite-model-provider.js';
export type { ModelAdapters, ModelSettings } from './composite-model-provider.js';
export { ModelSettingsFault } from './models-file.js';
export { ScriptedModel, scriptedModelOption } from './scripted-model.js';
export type { ScriptedModelOptions, ToolUseId } from './scripted-model.js';
export type { Vendor } from './thinking-effort.js';
