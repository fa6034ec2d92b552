import { MemoryBlobs } from '@aos/adapters/memory';
import { linearGrowthMax, timeGrowth } from '@aos/kernel/testing';
import { ToolResults, toolBytesMax } from './tool-result.js';

describe('L18: an output over 1 MiB', () => {
  const results = new ToolResults(new MemoryBlobs());
  const outputWith = (replacements: number) => `${'\ufffd'.repeat(replacements)}a${'ü'.repeat(toolBytesMax)}`;

  it('is cut at a character, also where it is full of replacement characters', async () => {
    const content = String((await results.of('org_1', outputWith(100_000))).content);
    expect(Buffer.byteLength(content)).toBeGreaterThanOrEqual(toolBytesMax - 1);
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(toolBytesMax);
    expect(content).toContain('ü\n[cut: the output has ');
  });

  it('is cut in time of its length', async () => {
    const growth = await timeGrowth(10_000, (size) => {
      const output = outputWith(size);
      return () => results.of('org_1', output);
    });
    expect(growth).toBeLessThan(linearGrowthMax);
  });
});
