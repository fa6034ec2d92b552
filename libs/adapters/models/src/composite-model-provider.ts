import { readFileSync } from 'node:fs';
import {
  type Clock,
  type ModelCatalog,
  type ModelEvent,
  ModelFailure,
  type ModelOption,
  ModelProvider,
  type ModelRequest,
  type ModelStream,
  messageOf,
} from '@aos/kernel';
import { AiModelProvider } from './ai-model-provider.js';
import { defaultCatalogs, displayNames } from './default-catalogs.js';
import { type FileProvider, type ModelsFile, ModelSettingsFault, parseModelsFile } from './models-file.js';
import { ScriptedModel, type ToolUseId } from './scripted-model.js';

export interface ModelSettings {
  /**
   * Path of the models file (`SVC_MODELS_FILE`). With one, the keys below are used by it and offer no catalog of their
   * own.
   */
  modelsFile?: string;
  anthropicApiKey?: string;
  openaiApiKey?: string;
  /** Whether `svc-scripted-1` is offered. */
  scripted: boolean;
  /** Where `api_key_env` of the models file is looked up. */
  env: Readonly<Record<string, string | undefined>>;
}

export interface ModelAdapters {
  clock: Clock;
  random?: () => number;
  toolUseId?: ToolUseId;
}

interface Source {
  option: ModelOption;
  stream(request: ModelRequest, signal: AbortSignal): ModelStream;
}

/**
 * All models that the settings offer, behind one port. The default model is the file's, else the first one; the
 * scripted one comes last.
 */
export class CompositeModelProvider extends ModelProvider {
  override readonly catalog: ModelCatalog;
  private readonly sources: Source[] = [];
  private readonly vendors: AiModelProvider[] = [];

  /** Throws `ModelSettingsFault` with every fault of the settings. */
  constructor(
    settings: ModelSettings,
    private readonly adapters: ModelAdapters,
  ) {
    super();
    const { defaultModel, providers } = readSettings(settings);
    for (const provider of providers) this.addVendor(provider);
    if (settings.scripted) {
      const scripted = new ScriptedModel(adapters);
      this.sources.push({ option: scripted.option, stream: (request, signal) => scripted.stream(request, signal) });
    }
    const chosen = defaultModel === null ? this.sources[0] : this.source(defaultModel);
    if (defaultModel !== null && !chosen)
      throw new ModelSettingsFault([`default_model ${defaultModel} is not in the catalog`]);
    this.catalog = { defaultModel: defaultModel ?? chosen?.option.id ?? null, providers: this.groups() };
  }

  override find(model: string | undefined): ModelOption | null {
    const wanted = model?.trim() || this.catalog.defaultModel;
    return wanted === null ? null : (this.source(wanted)?.option ?? null);
  }

  /** Gives the stream of the model as it is: one around it would take some promises more for each token. */
  override stream(request: ModelRequest, signal: AbortSignal): ModelStream {
    const source = this.source(request.model);
    if (!source)
      return failing(
        new ModelFailure(`model ${request.model} is not in the catalog`, false, null, 'model_unavailable'),
      );
    return signal.aborted ? failing(signal.reason) : source.stream(request, signal);
  }

  /** Closes the connections that are kept for the next call. */
  async close(): Promise<void> {
    await Promise.all(this.vendors.map((vendor) => vendor.close()));
  }

  private addVendor({ vendor, baseUrl, apiKey, models }: FileProvider): void {
    const { clock, random } = this.adapters;
    const provider = new AiModelProvider({ vendor, baseUrl, apiKey, clock, ...(random ? { random } : {}) });
    this.vendors.push(provider);
    for (const model of models) {
      const option = { ...model, provider: vendor };
      this.sources.push({ option, stream: (request, signal) => provider.stream(option, request, signal) });
    }
  }

  /** An id may hold slashes itself, so the whole text is tried first. */
  private source(name: string): Source | undefined {
    return (
      this.sources.find(({ option }) => option.id === name) ??
      this.sources.find(({ option }) => `${option.provider}/${option.id}` === name)
    );
  }

  private groups(): ModelCatalog['providers'] {
    const groups = new Map<string, ModelOption[]>();
    for (const { option } of this.sources)
      groups.set(option.provider, [...(groups.get(option.provider) ?? []), option]);
    const names: Record<string, string> = { ...displayNames, scripted: 'Scripted' };
    return [...groups].map(([provider, models]) => ({
      provider,
      displayName: names[provider] ?? provider,
      source: 'platform',
      models,
    }));
  }
}

/** A stream that ends with the fault when it is read. */
function failing(fault: unknown): AsyncIterable<ModelEvent> {
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(fault) }) };
}

function readSettings({ modelsFile, anthropicApiKey, openaiApiKey, env }: ModelSettings): ModelsFile {
  if (modelsFile) {
    const keys = {
      ...(anthropicApiKey ? { ANTHROPIC_API_KEY: anthropicApiKey } : {}),
      ...(openaiApiKey ? { OPENAI_API_KEY: openaiApiKey } : {}),
    };
    return parseModelsFile(readText(modelsFile), { ...env, ...keys });
  }
  const providers: FileProvider[] = [];
  if (anthropicApiKey)
    providers.push({
      vendor: 'anthropic',
      baseUrl: null,
      apiKey: anthropicApiKey,
      models: [...defaultCatalogs.anthropic],
    });
  if (openaiApiKey)
    providers.push({ vendor: 'openai', baseUrl: null, apiKey: openaiApiKey, models: [...defaultCatalogs.openai] });
  return { defaultModel: null, providers };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ModelSettingsFault([`the models file ${path} cannot be read: ${messageOf(error)}`]);
  }
}
