import { Metadata, status } from '@grpc/grpc-js';
import type { StatusObject } from '@grpc/grpc-js';
import { AllStreamPosition, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { LogRecord } from './log.js';

const ticksPerMillisecond = 10_000n;
/** The number that a tombstone carries in place of a revision. */
const lastRevision = 9_223_372_036_854_775_807n;

export function streamName(identifier: StreamIdentifier | undefined): string {
  return identifier ? Buffer.from(identifier.getStreamName_asU8()).toString('utf8') : '';
}

export function streamIdentifier(stream: string): StreamIdentifier {
  return new StreamIdentifier().setStreamName(new Uint8Array(Buffer.from(stream, 'utf8')));
}

export function uuidText(uuid: UUID | undefined): string {
  const halves = uuid?.getStructured();
  if (!halves) return (uuid?.getString() ?? '').toLowerCase();
  const hex = [halves.getMostSignificantBits(), halves.getLeastSignificantBits()]
    .map((bits) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0'))
    .join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function uuidMessage(id: string, structured: boolean): UUID {
  if (!structured) return new UUID().setString(id);
  const hex = id.replaceAll('-', '');
  const half = (from: number) => BigInt.asIntN(64, BigInt(`0x${hex.slice(from, from + 16)}`)).toString();
  return new UUID().setStructured(
    new UUID.Structured().setMostSignificantBits(half(0)).setLeastSignificantBits(half(16)),
  );
}

export function allPosition(position: number): AllStreamPosition {
  return new AllStreamPosition().setCommitPosition(String(position)).setPreparePosition(String(position));
}

export function eventMessage(record: LogRecord, structuredIds: boolean): ReadResp {
  const position = String(record.position);
  const recorded = new ReadResp.ReadEvent.RecordedEvent()
    .setId(uuidMessage(record.id, structuredIds))
    .setStreamIdentifier(streamIdentifier(record.stream))
    .setStreamRevision(record.tombstone ? lastRevision.toString() : String(record.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setCustomMetadata(record.metadata)
    .setData(record.data);
  recorded
    .getMetadataMap()
    .set('type', record.type)
    .set('content-type', record.contentType)
    .set('created', (BigInt(record.createdMs) * ticksPerMillisecond).toString());
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position));
}

export function checkpointMessage(position: number): ReadResp {
  return new ReadResp().setCheckpoint(
    new ReadResp.Checkpoint().setCommitPosition(String(position)).setPreparePosition(String(position)),
  );
}

export function notFoundMessage(stream: string): ReadResp {
  return new ReadResp().setStreamNotFound(new ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)));
}

/** A refusal, sent as the call's status and its trailing metadata. */
export function refusal(
  code: status,
  details: string,
  exception: string,
  facts: Record<string, string> = {},
): Partial<StatusObject> {
  const metadata = new Metadata();
  metadata.set('exception', exception);
  for (const [name, value] of Object.entries(facts)) metadata.set(name, value);
  return { code, details, metadata };
}

export function streamDeleted(stream: string): Partial<StatusObject> {
  return refusal(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, 'stream-deleted', {
    'stream-name': stream,
  });
}
