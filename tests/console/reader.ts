import { freshName, owner } from './flow.js';

/** A key that may read and nothing else. */
export async function readerKey(): Promise<string> {
  const { key = '' } = await owner.apiKeys.create({ name: freshName('reader'), role: 'Viewer' });
  return key;
}
