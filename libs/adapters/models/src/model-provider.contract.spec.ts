import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@aos/kernel';
import { modelProviderContract } from '@aos/kernel/contracts';
import { ManualClock } from '@aos/kernel/testing';
import { CompositeModelProvider } from './index.js';
import { chunk, failing, FakeProvider, type Reply, sse, usageChunk } from './testing/fake-provider.js';
import { ImpatientClock, requestOf, user } from './testing/requests.js';

modelProviderContract('the scripted model', () => {
  const provider = new CompositeModelProvider({ scripted: true, env: {} }, { clock: new ManualClock() });
  const playing = (...script: JsonObject[]) =>
    requestOf([user(JSON.stringify({ script }))], { model: 'svc-scripted-1' });
  return Promise.resolve({
    provider,
    answering: ({ text, call, usage: { input, cached, output } }) =>
      playing(
        { say: text },
        { usage: { input_tokens: input, cache_read_input_tokens: cached, output_tokens: output } },
        ...(call ? [{ call }] : []),
      ),
    hanging: (text) => playing({ say: text }, { wait_ms: 60_000 }, { say: 'too late' }),
    failing: () => playing({ error: { message: 'as told' } }),
    close: () => provider.close(),
  });
});

modelProviderContract('an OpenAI-compatible endpoint', async () => {
  const fake = await FakeProvider.start();
  const folder = mkdtempSync(join(tmpdir(), 'models-'));
  const modelsFile = join(folder, 'models.json');
  writeFileSync(
    modelsFile,
    JSON.stringify({
      providers: [
        { provider: 'openai-compatible', base_url: fake.url, models: [{ id: 'fake-1' }, { id: 'org/fake-2' }] },
      ],
    }),
  );
  const provider = new CompositeModelProvider(
    { scripted: false, env: {}, modelsFile },
    { clock: new ImpatientClock(), random: () => 0 },
  );
  const answeredBy = (reply: Reply) => {
    fake.replies.splice(0, Infinity, reply);
    return requestOf([user('hi')]);
  };
  return {
    provider,
    answering: ({ text, call, usage: { input, cached, output } }) =>
      answeredBy(
        sse([
          chunk({ role: 'assistant', content: '' }),
          ...Array.from(text, (letter) => chunk({ content: letter })),
          ...(call
            ? [
                chunk({
                  tool_calls: [
                    {
                      index: 0,
                      id: 'call_a',
                      type: 'function',
                      function: { name: call.name, arguments: JSON.stringify(call.input) },
                    },
                  ],
                }),
              ]
            : []),
          chunk({}, call ? 'tool_calls' : 'stop'),
          usageChunk({
            prompt_tokens: input + cached,
            completion_tokens: output,
            total_tokens: input + cached + output,
            prompt_tokens_details: { cached_tokens: cached },
          }),
          '[DONE]',
        ]),
      ),
    hanging: (text) => answeredBy(sse([chunk({ role: 'assistant', content: '' }), chunk({ content: text })], 'hang')),
    failing: () => answeredBy(failing(400)),
    disconnected: async () => {
      await fake.seen.at(-1)?.closed;
    },
    async close() {
      await provider.close();
      await fake.stop();
      rmSync(folder, { recursive: true });
    },
  };
});
