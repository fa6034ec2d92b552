import { MemoryBlobs } from '@aos/adapters/memory';
import { ToolResults, toolBytesMax } from './tool-result.js';

describe('L18: an output over 1 MiB', () => {
  it('is cut at a character, at once also where it is full of replacement characters', async () => {
    const results = new ToolResults(new MemoryBlobs());
    const output = `${'\ufffd'.repeat(100_000)}a${'ü'.repeat(toolBytesMax)}`;
    const began = performance.now();
    const content = String((await results.of('org_1', output)).content);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(Buffer.byteLength(content)).toBeGreaterThanOrEqual(toolBytesMax - 1);
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(toolBytesMax);
    expect(content).toContain('ü\n[cut: the output has ');
  });
});
