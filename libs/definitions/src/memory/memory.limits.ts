import type { Members, RequestBody } from '@aos/contract';
import { isLongerThan, jsonBytes, type Issue, type Json } from '@aos/kernel';

/** Rule L15. */
export const memoryContentMax = 16_384;
export const memorySummaryMax = 140;
export const memoryKeyPattern = /^[A-Za-z0-9._:-]{1,256}$/;
export const importanceMax = 100;
export const importanceDefault = 50;
/** Entries of a partition; beyond that the least important and oldest unpinned ones leave. */
export const partitionSoftCap = 500;
/** Entries that leave because of one write. */
export const evictedAtOnceMax = 100;
/** Entries that one call to erase a partition takes away. */
export const erasedAtOnceMax = 1000;
/** Rule L11. */
export const metadataBytesMax = 16 * 1024;
export const metadataDepthMax = 8;
/** How long the change feed is kept (rule R37). */
export const changesKeptMs = 30 * 24 * 3600 * 1000;
/** Bytes of memory in what a model is given, when the policy does not say. */
export const contextBytesDefault = 32_768;

const userPattern = /^[A-Za-z0-9_-]{0,128}$/;

/** What a caller sends about an entry; what is left out has its default. */
export type DesiredMemory = Members<RequestBody<'saveAgentMemoryEntry'>>;

/** What is wrong with an entry that is to be written. Source: rules L11, L15. */
export function memoryIssues(key: string, desired: DesiredMemory): Issue[] {
  const issues: Issue[] = [];
  const { user_id: userId = '', content, summary = '', metadata, importance = importanceDefault } = desired;
  if (!memoryKeyPattern.test(key))
    issues.push({ path: '/key', message: 'letters, digits and ._:-, at most 256 characters' });
  if (!userPattern.test(userId)) issues.push({ path: '/user_id', message: 'is not an id' });
  if (typeof content !== 'string' || content === '' || isLongerThan(content, memoryContentMax))
    issues.push({ path: '/content', message: `1 to ${memoryContentMax} characters` });
  if (isLongerThan(summary, memorySummaryMax))
    issues.push({ path: '/summary', message: `at most ${memorySummaryMax} characters` });
  if (!Number.isInteger(importance) || importance < 0 || importance > importanceMax)
    issues.push({ path: '/importance', message: `a whole number from 0 to ${importanceMax}` });
  if (metadata && jsonBytes(metadata) > metadataBytesMax)
    issues.push({ path: '/metadata', message: `at most ${metadataBytesMax} bytes` });
  if (metadata && depthOf(metadata) > metadataDepthMax)
    issues.push({ path: '/metadata', message: `at most ${metadataDepthMax} levels deep` });
  return issues;
}

function depthOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner)), 0);
}
