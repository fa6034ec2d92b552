import { RecordRefused, wellFormed, type LogRecord, type RecordedEvent, type TopicSpec } from '@aos/kernel';
import type { SourceEvent } from '../publishing/envelope.wire.js';
import { NeverLeaves, madeOf } from './never-leaves.js';
import { partitionOf } from './partition.js';

const hourMs = 60 * 60 * 1000;

/** Partitions of both topics. They are made once: keys would move if a live topic got more. */
export const partitions = 12;
/**
 * Payloads of session events travel inline up to this; larger ones are read from the log (ARCHITECTURE.md section 7).
 */
const inlineBytesMax = 32 * 1024;
/** What the port takes in one call. */
const callRecordsMax = 500;
const callBytesMax = 4 * 1024 * 1024;
/** Room for what a record costs besides its own bytes. */
const recordOverheadBytes = 256;

export const heartbeatType = 'svc.relay.heartbeat';

/** A record with the partition that its key belongs to. */
export type PartitionedRecord = LogRecord & { partition: number };

/** The public topic; kept 7 days unless configured there (rule E6). */
export function sourceTopic(prefix: string): TopicSpec {
  return { topic: `${prefix}.source-events.v1`, partitions, retentionMs: 7 * 24 * hourMs };
}

/** For the stream gateways only. */
export function sessionTopic(prefix: string): TopicSpec {
  return { topic: `${prefix}.session-log.v1`, partitions, retentionMs: 24 * hourMs };
}

/**
 * CloudEvents 1.0, Kafka binding, binary mode. Half a character of a source's id has no bytes: it is U+FFFD in key and
 * headers.
 */
export function sourceRecord(event: SourceEvent): PartitionedRecord {
  const { envelope, orgId, position, revision } = event;
  const { event_type, source_kind, meta } = envelope;
  const sourceId = wellFormed(envelope.source_id);
  const key = `${orgId}:${source_kind}:${sourceId}`;
  return {
    key,
    partition: partitionOf(key, partitions),
    value: Buffer.from(JSON.stringify(envelope)),
    headers: {
      ce_specversion: '1.0',
      ce_id: String(meta.id),
      ce_type: event_type,
      ce_source: `/orgs/${orgId}/${plural(source_kind)}/${encodeURIComponent(sourceId)}`,
      ce_subject: sourceId,
      ce_time: String(meta.occurred_at),
      'content-type': 'application/json',
      ce_partitionkey: key,
      ce_orgid: orgId,
      ce_revision: String(revision),
      ce_position: position,
    },
  };
}

function plural(kind: string): string {
  return kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}

/** Events of one session that leave in one record. */
interface SessionRun {
  key: string;
  events: RecordedEvent[];
  /** Each as JSON. */
  texts: string[];
  bytes: number;
}

/**
 * Session events as they stand in the log, one record for the events of one session in a batch: an object for one of
 * them, a list for several, at most 32 KiB together. A larger event stands alone, without `data`.
 *
 * Headers are those of the last one: they say how far the session is, which is all that gateways take from a record.
 * A batch that is sent again may be cut otherwise.
 */
export function sessionRecords(batch: readonly RecordedEvent[]): { record: PartitionedRecord; last: RecordedEvent }[] {
  const runs: SessionRun[] = [];
  const open = new Map<string, SessionRun>();
  for (const event of batch) {
    const key = event.stream.slice('session-'.length);
    const { text, bytes } = madeOf(event, () => inlineText(event));
    const run = open.get(key);
    if (run && run.bytes + bytes <= inlineBytesMax && isOneTrace(run, event)) {
      run.events.push(event);
      run.texts.push(text);
      run.bytes += bytes;
      continue;
    }
    const begun = { key, events: [event], texts: [text], bytes };
    runs.push(begun);
    open.set(key, begun);
  }
  return runs.map((run) => {
    const last = run.events.at(-1);
    if (!last) throw new Error('a run without events');
    return { record: madeOf(last, () => runRecord(run, last)), last };
  });
}

function inlineText({ id, type, revision, position, meta, data }: RecordedEvent): { text: string; bytes: number } {
  const whole = JSON.stringify({ id, type, revision, position, meta, data });
  const bytes = Buffer.byteLength(whole);
  if (bytes <= inlineBytesMax) return { text: whole, bytes };
  const head = JSON.stringify({ id, type, revision, position, meta });
  return { text: head, bytes: Buffer.byteLength(head) };
}

/** A record can go on with one trace only. */
function isOneTrace({ events }: SessionRun, { meta }: RecordedEvent): boolean {
  return events[0]?.meta.traceparent === meta.traceparent;
}

function runRecord({ key, texts }: SessionRun, last: RecordedEvent): PartitionedRecord {
  return inTraceOf(last, {
    key,
    partition: partitionOf(key, partitions),
    value: Buffer.from(texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(',')}]`),
    headers: {
      ce_id: last.id,
      ce_type: last.type,
      ce_orgid: last.meta.org_id ?? '',
      ce_revision: String(last.revision),
      ce_position: last.position,
    },
  });
}

/** The record in the trace that its event was recorded in, if it was in one: consumers go on with it. */
export function inTraceOf({ meta: { traceparent } }: RecordedEvent, record: PartitionedRecord): PartitionedRecord {
  return traceparent === undefined ? record : { ...record, headers: { ...record.headers, traceparent } };
}

/** A sign of life for every partition. */
export function heartbeats(at: string): PartitionedRecord[] {
  return Array.from({ length: partitions }, (_, partition) => ({
    key: `heartbeat-${partition}`,
    partition,
    value: new Uint8Array(0),
    headers: { ce_type: heartbeatType, ce_time: at },
  }));
}

/**
 * Records in order, in portions that one call takes.
 *
 * Refuses  `NeverLeaves` of the event whose record is refused for good, once those before it have left.
 */
export class Portions {
  private records: PartitionedRecord[] = [];
  /** What each record is of. */
  private events: RecordedEvent[] = [];
  private bytes = 0;

  constructor(private readonly send: (records: readonly PartitionedRecord[]) => Promise<void>) {}

  async add(record: PartitionedRecord, event: RecordedEvent): Promise<void> {
    const bytes = bytesOf(record);
    if (this.records.length >= callRecordsMax || this.bytes + bytes > callBytesMax) await this.flush();
    this.records.push(record);
    this.events.push(event);
    this.bytes += bytes;
  }

  async flush(): Promise<void> {
    const { records, events } = this;
    this.records = [];
    this.events = [];
    this.bytes = 0;
    if (records.length === 0) return;
    try {
      await this.send(records);
    } catch (error) {
      if (!(error instanceof RecordRefused)) throw error;
      await this.sendEach(records, events, error);
    }
  }

  /** A refusal of many says not of which: each is sent by itself, some for a second time. */
  private async sendEach(
    records: readonly PartitionedRecord[],
    events: readonly RecordedEvent[],
    refusal: RecordRefused,
  ): Promise<void> {
    for (const [index, record] of records.entries()) {
      const event = events[index];
      if (!event) throw new Error('a record of no event');
      try {
        if (records.length === 1) throw refusal;
        await this.send([record]);
      } catch (error) {
        throw error instanceof RecordRefused ? new NeverLeaves(event, error) : error;
      }
    }
  }
}

/** At most: a unit of text takes three bytes or fewer. */
function bytesOf({ key, value, headers }: PartitionedRecord): number {
  let units = key.length;
  for (const name in headers) units += name.length + (headers[name]?.length ?? 0);
  return value.byteLength + 3 * units + recordOverheadBytes;
}
