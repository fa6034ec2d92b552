import type { LanguageModel } from 'ai';
import { Agent, fetch as undiciFetch } from 'undici';
import { boundedResponse } from './bounded-response.js';
import type { Effort, Vendor } from './thinking-effort.js';

export interface Endpoint {
  vendor: Vendor;
  /** Null: the vendor's own. */
  baseUrl: string | null;
  /** Null: none is sent, for endpoints that want none. */
  apiKey: string | null;
}

/** OpenAI's two ways to ask for an answer; other vendors have one. */
export type Api = 'chat' | 'responses';

export interface VendorModel {
  model: LanguageModel;
  providerOptions: Record<string, Record<string, string | boolean | string[]>>;
}

const connectTimeoutMs = 10_000;
const vendorUrls: Record<Vendor, string> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  'openai-compatible': '',
};
/** Stands where a package insists on a key and the endpoint wants none. */
const noKey = 'none';

/**
 * One provider endpoint. The vendors' packages are loaded with the first model, so that a process that never calls one
 * starts without them.
 *
 * OpenAI's own address is spoken to by the Responses API, which alone shows thinking next to tools; any other address
 * by Chat Completions, which every gateway and local server speaks, or by the Responses API where that turns out to be
 * the one it has.
 */
export class VendorEndpoint {
  private readonly agent = new Agent({ connect: { timeout: connectTimeoutMs }, headersTimeout: 0, bodyTimeout: 0 });
  private factory: Promise<(id: string, api: Api) => LanguageModel> | null = null;
  /** What worked last. */
  api: Api;

  constructor(private readonly endpoint: Endpoint) {
    this.api = endpoint.vendor === 'openai' && this.baseUrl === vendorUrls.openai ? 'responses' : 'chat';
  }

  /** What to try when an endpoint does not know the path; null when there is nothing else. */
  otherApi(api: Api): Api | null {
    if (this.endpoint.vendor !== 'openai' || this.baseUrl === vendorUrls.openai) return null;
    return api === 'chat' ? 'responses' : 'chat';
  }

  async model(id: string, effort: Effort | null, api: Api): Promise<VendorModel> {
    this.factory ??= this.load();
    return {
      model: (await this.factory)(id, api),
      providerOptions: api === 'responses' ? responsesOptions(effort) : {},
    };
  }

  async close(): Promise<void> {
    await this.agent.close();
  }

  private get baseUrl(): string {
    return (this.endpoint.baseUrl ?? vendorUrls[this.endpoint.vendor]).replace(/\/+$/, '');
  }

  private async load(): Promise<(id: string, api: Api) => LanguageModel> {
    const { vendor, apiKey } = this.endpoint;
    const settings = { baseURL: this.baseUrl, fetch: this.fetch };
    switch (vendor) {
      case 'anthropic': {
        const { createAnthropic } = await import('@ai-sdk/anthropic');
        return createAnthropic({ ...settings, apiKey: apiKey ?? noKey });
      }
      case 'openai': {
        const { createOpenAI } = await import('@ai-sdk/openai');
        const openai = createOpenAI({ ...settings, apiKey: apiKey ?? noKey });
        return (id, api) => (api === 'responses' ? openai.responses(id) : openai.chat(id));
      }
      case 'openai-compatible': {
        const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
        const compatible = createOpenAICompatible({
          ...settings,
          name: 'openai-compatible',
          includeUsage: true,
          ...(apiKey === null ? {} : { apiKey }),
        });
        return (id) => compatible.chatModel(id);
      }
      default:
        throw new Error(`unknown vendor ${String(vendor satisfies never)}`);
    }
  }

  /**
   * Our own connections: their waits are bounded by the call's signal and idle time, what comes is bounded in its size,
   * and a redirect is never followed with the key.
   */
  private readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await undiciFetch(input as string | URL, {
      ...(init as Parameters<typeof undiciFetch>[1]),
      dispatcher: this.agent,
      redirect: 'error',
    });
    return boundedResponse(response) as unknown as Response; // the same standard, declared twice: by undici and by Node's types
  };
}

/** Nothing is kept at the vendor; thinking is shown as its summary when it was asked for. */
function responsesOptions(effort: Effort | null): VendorModel['providerOptions'] {
  return { openai: { store: false, ...(effort === null ? {} : { reasoningSummary: 'auto' }) } };
}
