import { parseDocument } from 'yaml';
import { StartFault } from '@aos/kernel';
import { type CatalogModel, unknownWindowTokens } from './default-catalogs.js';
import type { Vendor } from './thinking-effort.js';

export interface FileProvider {
  vendor: Vendor;
  baseUrl: string | null;
  apiKey: string | null;
  models: CatalogModel[];
}

export interface ModelsFile {
  defaultModel: string | null;
  providers: FileProvider[];
}

/** The settings of models cannot be used. Every fault is named, with its place in the file. */
export class ModelSettingsFault extends StartFault {
  override readonly name = 'ModelSettingsFault';

  constructor(readonly faults: readonly string[]) {
    super(`SVC_MODELS_FILE: ${faults.join('; ')}.`);
  }
}

export const fileBytesMax = 1024 * 1024;
const listMax = 1000;
const textMax = 500;
const keyOfVendor: Record<Vendor, string | null> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  'openai-compatible': null,
};

/**
 * Reads the models file (`SVC_MODELS_FILE`).
 *
 * Takes    its text, YAML or JSON, and the environment that `api_key_env` names variables of. Without `api_key_env` the
 *          vendors' own variable is used when it is set.
 * Refuses  `ModelSettingsFault` with all faults: wrong types, unknown members, a vendor that is none, a key variable
 *          that is not set.
 */
export function parseModelsFile(text: string, env: Readonly<Record<string, string | undefined>>): ModelsFile {
  if (Buffer.byteLength(text) > fileBytesMax)
    throw new ModelSettingsFault([`the models file is larger than ${fileBytesMax} bytes`]);
  const document = parseDocument(text);
  if (document.errors.length > 0)
    throw new ModelSettingsFault(document.errors.map((error) => error.message.split('\n', 1)[0] ?? ''));
  const reader = new Reader(env);
  const file = reader.file(document.toJS({ maxAliasCount: 100 }) as unknown);
  if (reader.faults.length > 0) throw new ModelSettingsFault(reader.faults);
  return file;
}

class Reader {
  readonly faults: string[] = [];

  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  file(value: unknown): ModelsFile {
    const file = this.object(value, '', ['default_model', 'providers']);
    const providers = this.list(file['providers'], 'providers').map((one, index) =>
      this.provider(one, `providers[${index}]`),
    );
    this.uniqueModels(providers);
    return { defaultModel: this.optionalText(file['default_model'], 'default_model'), providers };
  }

  private provider(value: unknown, at: string): FileProvider {
    const given = this.object(value, at, ['provider', 'base_url', 'api_key_env', 'models']);
    const vendor = given['provider'];
    if (vendor !== 'anthropic' && vendor !== 'openai' && vendor !== 'openai-compatible') {
      this.fault(`${at}.provider`, 'must be anthropic, openai or openai-compatible');
      return { vendor: 'openai-compatible', baseUrl: null, apiKey: null, models: [] };
    }
    const baseUrl = this.url(given['base_url'], `${at}.base_url`);
    if (vendor === 'openai-compatible' && given['base_url'] === undefined)
      this.fault(`${at}.base_url`, 'is needed for openai-compatible');
    const models = this.list(given['models'], `${at}.models`).map((one, index) =>
      this.model(one, `${at}.models[${index}]`),
    );
    return { vendor, baseUrl, apiKey: this.key(given['api_key_env'], vendor, baseUrl, `${at}.api_key_env`), models };
  }

  private key(value: unknown, vendor: Vendor, baseUrl: string | null, at: string): string | null {
    const name = this.optionalText(value, at) ?? keyOfVendor[vendor];
    const key = name === null ? null : this.env[name] || null;
    if (key === null && (value !== undefined || (name !== null && baseUrl === null)))
      this.fault(at, `${name} is not set`);
    return key;
  }

  private model(value: unknown, at: string): CatalogModel {
    const given = this.object(value, at, ['id', 'label', 'context_window_tokens', 'vision', 'documents', 'plans']);
    const id = this.optionalText(given['id'], `${at}.id`);
    if (given['id'] === undefined) this.fault(`${at}.id`, 'is missing');
    const window = given['context_window_tokens'] ?? unknownWindowTokens;
    if (typeof window !== 'number' || !Number.isSafeInteger(window) || window < 1)
      this.fault(`${at}.context_window_tokens`, 'must be a whole number from 1');
    const plans = given['plans'] == null ? null : this.list(given['plans'], `${at}.plans`);
    plans?.forEach((plan, index) => this.optionalText(plan, `${at}.plans[${index}]`));
    return {
      id: id ?? '',
      label: this.optionalText(given['label'], `${at}.label`) ?? id ?? '',
      contextWindowTokens: window as number,
      vision: this.flag(given['vision'], `${at}.vision`),
      documents: this.flag(given['documents'], `${at}.documents`),
      plans: plans as string[] | null,
    };
  }

  private uniqueModels(providers: readonly FileProvider[]): void {
    const seen = new Set<string>();
    providers.forEach(({ vendor, models }, provider) =>
      models.forEach(({ id }, model) => {
        const name = `${vendor}/${id}`;
        if (id !== '' && seen.has(name))
          this.fault(`providers[${provider}].models[${model}].id`, `${name} is there twice`);
        seen.add(name);
      }),
    );
  }

  private object(value: unknown, at: string, members: readonly string[]): Record<string, unknown> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.fault(at, 'must be an object');
      return {};
    }
    for (const member of Object.keys(value))
      if (!members.includes(member)) this.fault(at === '' ? member : `${at}.${member}`, 'is not known');
    return value as Record<string, unknown>;
  }

  private list(value: unknown, at: string): unknown[] {
    if (Array.isArray(value) && value.length > 0 && value.length <= listMax) return value;
    this.fault(at, `must be a list of 1 to ${listMax}`);
    return [];
  }

  private optionalText(value: unknown, at: string): string | null {
    if (value === undefined) return null;
    if (typeof value === 'string' && value.trim() !== '' && value.length <= textMax) return value.trim();
    this.fault(at, `must be text of 1 to ${textMax} characters`);
    return null;
  }

  private url(value: unknown, at: string): string | null {
    const text = this.optionalText(value, at);
    if (text !== null && (!/^https?:\/\//i.test(text) || !URL.canParse(text)))
      this.fault(at, 'must be an http or https URL');
    return text;
  }

  private flag(value: unknown, at: string): boolean {
    if (value !== undefined && typeof value !== 'boolean') this.fault(at, 'must be true or false');
    return value === true;
  }

  private fault(at: string, what: string): void {
    this.faults.push(`${at === '' ? 'the models file' : at} ${what}`);
  }
}
