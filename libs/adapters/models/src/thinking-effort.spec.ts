import { clampEffort } from './thinking-effort.js';

describe('thinking effort', () => {
  it.each([
    ['anthropic', 'claude-sonnet-5-5', 'max', 'max'],
    ['anthropic', 'claude-opus-4-6', 'xhigh', 'xhigh'],
    ['anthropic', 'claude-sonnet-4-5', 'max', 'high'],
    ['anthropic', 'claude-3-haiku-20240307', 'low', null],
    ['openai', 'gpt-6-sol', 'max', 'max'],
    ['openai', 'gpt-5.2', 'max', 'xhigh'],
    ['openai', 'gpt-5', 'xhigh', 'high'],
    ['openai', 'o3', 'max', 'high'],
    ['openai', 'gpt-4o', 'high', null],
    ['openai', 'gpt-5-chat-latest', 'low', null],
    ['openai', 'own-model', 'max', 'high'],
    ['openai-compatible', 'anything', 'xhigh', 'high'],
    ['openai-compatible', 'anything', 'low', 'low'],
  ] as const)('%s %s: %s becomes %s', (vendor, model, wished, given) =>
    expect(clampEffort(vendor, model, wished)).toBe(given),
  );

  it('asks for nothing when nothing was wished', () => expect(clampEffort('openai', 'gpt-5', null)).toBeNull());
});
