import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModelFailure } from '@aos/kernel';
import { CompositeModelProvider, type ModelSettings, ModelSettingsFault } from './index.js';
import { chatHello, FakeProvider, sse } from './testing/fake-provider.js';
import { blocksOf, collect, ImpatientClock, requestOf, user } from './testing/requests.js';

describe('the model catalog', () => {
  const clock = new ImpatientClock();
  const opened: CompositeModelProvider[] = [];
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'models-'));
  });
  afterAll(async () => {
    await Promise.all(opened.map((provider) => provider.close()));
    rmSync(folder, { recursive: true });
  });
  const open = (settings: Partial<ModelSettings>) => {
    const provider = new CompositeModelProvider({ scripted: false, env: {}, ...settings }, { clock });
    opened.push(provider);
    return provider;
  };
  const file = (text: string) => {
    const path = join(folder, 'models.yaml');
    writeFileSync(path, text);
    return path;
  };
  const faultsOf = (settings: Partial<ModelSettings>): readonly string[] => {
    try {
      open(settings);
    } catch (error) {
      if (error instanceof ModelSettingsFault) return error.faults;
      throw error;
    }
    return [];
  };

  it('is empty without settings', () => {
    const provider = open({});
    expect(provider.catalog).toEqual({ defaultModel: null, providers: [] });
    expect(provider.find(undefined)).toBeNull();
  });

  it('offers the scripted model as the default when it is alone', () => {
    const provider = open({ scripted: true });
    expect(provider.catalog).toMatchObject({
      defaultModel: 'svc-scripted-1',
      providers: [{ provider: 'scripted', source: 'platform', models: [{ id: 'svc-scripted-1' }] }],
    });
    for (const name of [undefined, '', ' ', 'svc-scripted-1', 'scripted/svc-scripted-1']) {
      expect(provider.find(name)).toMatchObject({
        provider: 'scripted',
        contextWindowTokens: 200_000,
        vision: true,
        documents: true,
      });
    }
    expect(provider.find('openai/svc-scripted-1')).toBeNull();
  });

  it('offers a default catalog for each key', () => {
    const provider = open({ scripted: true, anthropicApiKey: 'a', openaiApiKey: 'o' });
    expect(provider.catalog.providers.map((group) => group.provider)).toEqual(['anthropic', 'openai', 'scripted']);
    expect(provider.find(undefined)?.provider).toBe('anthropic');
    expect(provider.find('openai/gpt-5.5')).toMatchObject({ id: 'gpt-5.5', contextWindowTokens: 400_000 });
  });

  it('reads YAML and JSON; ids may hold slashes', () => {
    const yaml =
      'default_model: org/deep/model\nproviders:\n  - provider: openai-compatible\n    base_url: http://127.0.0.1:9/v1\n    models:\n      - id: org/deep/model\n        plans: [pro]\n      - {id: b, label: B, context_window_tokens: 1000, vision: true, documents: true}\n';
    const json = JSON.stringify({ providers: [{ provider: 'openai', api_key_env: 'MY_KEY', models: [{ id: 'b' }] }] });
    const provider = open({ modelsFile: file(yaml), anthropicApiKey: 'unused' });
    expect(provider.catalog.providers.map((group) => group.provider)).toEqual(['openai-compatible']);
    expect(provider.find(undefined)).toEqual({
      id: 'org/deep/model',
      provider: 'openai-compatible',
      label: 'org/deep/model',
      contextWindowTokens: 200_000,
      vision: false,
      documents: false,
      plans: ['pro'],
    });
    expect(provider.find('openai-compatible/org/deep/model')).toBe(provider.find('org/deep/model'));
    expect(provider.find('b')).toMatchObject({
      label: 'B',
      contextWindowTokens: 1000,
      vision: true,
      documents: true,
      plans: null,
    });
    expect(open({ modelsFile: file(json), env: { MY_KEY: 'k' } }).catalog.defaultModel).toBe('b');
  });

  it('names every fault of a file', () => {
    const bad = {
      colour: 1,
      default_model: '',
      providers: [
        { provider: 'other', models: [] },
        {
          provider: 'openai-compatible',
          extra: true,
          models: [
            { id: 'a', window: 1, context_window_tokens: 0, vision: 'yes', plans: 'pro' },
            { label: 'no id' },
            { id: 'a' },
          ],
        },
        { provider: 'openai', base_url: 'ftp://x', api_key_env: 'NOT_SET', models: 'x' },
        'text',
      ],
    };
    expect(faultsOf({ modelsFile: file(JSON.stringify(bad)) })).toEqual([
      'colour is not known',
      'providers[0].provider must be anthropic, openai or openai-compatible',
      'providers[1].extra is not known',
      'providers[1].base_url is needed for openai-compatible',
      'providers[1].models[0].window is not known',
      'providers[1].models[0].context_window_tokens must be a whole number from 1',
      'providers[1].models[0].plans must be a list of 1 to 1000',
      'providers[1].models[0].vision must be true or false',
      'providers[1].models[1].id is missing',
      'providers[2].base_url must be an http or https URL',
      'providers[2].models must be a list of 1 to 1000',
      'providers[2].api_key_env NOT_SET is not set',
      'providers[3] must be an object',
      'providers[3].provider must be anthropic, openai or openai-compatible',
      'providers[1].models[2].id openai-compatible/a is there twice',
      'default_model must be text of 1 to 500 characters',
    ]);
    expect(faultsOf({ modelsFile: file('providers: [') })).not.toEqual([]);
    expect(faultsOf({ modelsFile: join(folder, 'none') })[0]).toContain('cannot be read');
    expect(
      faultsOf({
        modelsFile: file(
          '{"default_model":"x","providers":[{"provider":"openai","base_url":"http://a/v1","models":[{"id":"y"}]}]}',
        ),
      }),
    ).toEqual(['default_model x is not in the catalog']);
    expect(faultsOf({ modelsFile: file('{"providers":[{"provider":"anthropic","models":[{"id":"y"}]}]}') })).toEqual([
      'providers[0].api_key_env ANTHROPIC_API_KEY is not set',
    ]);
  });

  it('sends each model to its own endpoint', async () => {
    const [one, two] = [await FakeProvider.start(), await FakeProvider.start()];
    one.replies.push(sse(chatHello));
    two.replies.push(sse(chatHello));
    const provider = open({
      scripted: true,
      env: { K: 'key-of-two' },
      modelsFile: file(
        JSON.stringify({
          providers: [
            { provider: 'openai-compatible', base_url: one.url, models: [{ id: 'first' }] },
            { provider: 'openai-compatible', base_url: two.url, api_key_env: 'K', models: [{ id: 'second' }] },
          ],
        }),
      ),
    });
    const signal = new AbortController().signal;
    for (const model of ['first', 'openai-compatible/second']) {
      expect(blocksOf(await collect(provider.stream(requestOf([user('hi')], { model }), signal)))).toEqual([
        { type: 'text', text: 'Hello' },
      ]);
    }
    expect(one.seen[0]?.headers.authorization).toBeUndefined();
    expect(two.seen[0]?.headers.authorization).toBe('Bearer key-of-two');
    expect(two.seen[0]?.body['model']).toBe('second');
    expect(
      blocksOf(await collect(provider.stream(requestOf([user('hi')], { model: 'svc-scripted-1' }), signal))),
    ).toEqual([{ type: 'text', text: 'You said: hi' }]);
    await Promise.all([one.stop(), two.stop()]);
  });

  it('refuses a model that is not there', async () => {
    const outcome = collect(
      open({ scripted: true }).stream(requestOf([user('hi')], { model: 'gone' }), new AbortController().signal),
    );
    await expect(outcome).rejects.toMatchObject({ errorType: 'model_unavailable', retryable: false });
    await expect(outcome).rejects.toBeInstanceOf(ModelFailure);
  });
});
