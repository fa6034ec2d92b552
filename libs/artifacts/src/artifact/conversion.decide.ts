import { Refusal } from '@aos/kernel';
import type { ArtifactEvent, ArtifactRecord, Conversion, Piece } from './artifact.events.js';
import { conversionAttemptsMax, conversionRetryMs } from './artifact.limits.js';
import { live, type ArtifactState } from './artifact.state.js';

/**
 * A process begins to read the document.
 *
 * Gives    nothing when the conversion is over, or another process began it less than a minute ago; that it failed,
 *          when five began and none ended it: such a document may end the process that reads it.
 * Source   rule TE83.
 */
export function beginConversion(
  { conversionId, at }: { conversionId: string; at: string },
  state: ArtifactState,
): ArtifactEvent[] {
  const record = converting(state);
  if (!record) return [];
  const { attempts = 0, begun_at: begunAt } = record.conversion ?? {};
  if (begunAt !== undefined && Date.parse(at) < Date.parse(begunAt) + conversionRetryMs) return [];
  if (attempts < conversionAttemptsMax) return [{ type: 'ConversionBegun', data: { conversion_id: conversionId, at } }];
  return [converted(record, conversionId, { state: 'failed', error: `${attempts} attempts to read it did not end` })];
}

/**
 * Names the piece that holds the text, before it is put.
 *
 * Refuses  conflict {reason: conversion_over} when the artifact was deleted, or another process was faster.
 * Source   rules TE3, TE83.
 */
export function nameText(
  { conversionId, piece, at }: { conversionId: string; piece: Piece; at: string },
  state: ArtifactState,
): ArtifactEvent[] {
  requireConverting(state);
  if (state.closed.includes(conversionId)) throw conversionOver();
  if (state.uploads.some(({ id }) => id === conversionId)) return [];
  return [{ type: 'TextNamed', data: { conversion_id: conversionId, piece, at } }];
}

/**
 * The conversion ends: with a text that is durable, with none because the file is read as it is, or with an error.
 *
 * Refuses  conflict {reason: conversion_over} when the artifact was deleted, another process was faster, or the text
 *          took so long that it was given up.
 * Source   rule TE83.
 */
export function endConversion(
  { conversionId, error, hasText }: { conversionId: string; error: string | null; hasText: boolean },
  state: ArtifactState,
): ArtifactEvent[] {
  const record = requireConverting(state);
  if (hasText && state.uploads.find(({ id }) => id === conversionId)?.status !== 'open') throw conversionOver();
  return [converted(record, conversionId, error === null ? { state: 'ready' } : { state: 'failed', error })];
}

function converting(state: ArtifactState): ArtifactRecord | null {
  const record = live(state);
  return record?.conversion?.state === 'converting' ? record : null;
}

function requireConverting(state: ArtifactState): ArtifactRecord {
  const record = converting(state);
  if (!record) throw conversionOver();
  return record;
}

function converted(record: ArtifactRecord, conversionId: string, conversion: Conversion): ArtifactEvent {
  return { type: 'ArtifactConverted', data: { artifact: { ...record, conversion }, conversion_id: conversionId } };
}

function conversionOver(): Refusal {
  return new Refusal('conflict', { reason: 'conversion_over' }, 'the conversion is over');
}
