import { status } from '@grpc/grpc-js';
import type { sendUnaryData, ServerDuplexStream, ServerReadableStream, ServerUnaryCall } from '@grpc/grpc-js';
import {
  AccessDenied,
  Empty,
  MaximumAppendSizeExceeded,
  StreamDeleted,
  Unknown,
  WrongExpectedVersion,
} from '@eventstore/db-client/generated/shared_pb.js';
import { Status } from '@eventstore/db-client/generated/status_pb.js';
import {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { Any } from 'google-protobuf/google/protobuf/any_pb.js';
import { Empty as GoogleEmpty } from 'google-protobuf/google/protobuf/empty_pb.js';
import { randomUUID } from 'node:crypto';
import type { CommitQueue } from './commit-queue.js';
import type { Expected } from './decision.js';
import type { Faults } from './faults.js';
import type { LogAnswer, LogWrite, ProposedRecord } from './log.js';
import { allPosition, refusal, streamDeleted, streamIdentifier, streamName, uuidText } from './messages.js';

type Proposed = BatchAppendReq.ProposedMessage | AppendReq.ProposedMessage;
type Answer = LogAnswer | { kind: 'too_large' };

/** What the four writing calls need. */
export interface WriteContext {
  queue: CommitQueue;
  faults: Faults;
  appendBytesMax: number;
}

interface Arriving {
  options: BatchAppendReq.Options;
  records: ProposedRecord[];
}

const arrivingMax = 1000;

/** BatchAppend: many appends over one call, each answered by its correlation id, in the order they were finished. */
export function batchAppend(call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>, context: WriteContext): void {
  const { faults } = context;
  const arriving = new Map<string, Arriving>();
  call.on('error', () => call.destroy());
  call.on('end', () => call.end());
  call.on('data', (request: BatchAppendReq) => {
    const admission = faults.admit();
    if (admission === 'never_answer') return;
    if (admission !== 'go') {
      call.emit('error', admission);
      return;
    }
    const correlation = uuidText(request.getCorrelationId());
    const options = request.getOptions();
    const append =
      arriving.get(correlation) ?? (options && arriving.size < arrivingMax ? { options, records: [] } : undefined);
    if (!append) {
      call.emit('error', {
        code: status.INVALID_ARGUMENT,
        details: 'no options for this append, or too many unfinished',
      });
      return;
    }
    append.records.push(...request.getProposedMessagesList().map(recordOf));
    arriving.set(correlation, append);
    if (!request.getIsFinal()) return;
    arriving.delete(correlation);
    answerBatch(call, request, append, context).catch((error: unknown) => {
      call.emit('error', { code: status.UNAVAILABLE, details: String(error) });
    });
  });
}

async function answerBatch(
  call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>,
  request: BatchAppendReq,
  { options, records }: Arriving,
  context: WriteContext,
): Promise<void> {
  const { faults } = context;
  if (faults.lostAppends > 0) {
    faults.lostAppends -= 1;
    return;
  }
  const stream = streamName(options.getStreamIdentifier());
  const answer = await carryOut({ stream, expected: batchExpected(options), records }, context);
  await faults.beforeAnswer();
  if (faults.silent) return;
  if (faults.unansweredAppends > 0) {
    faults.unansweredAppends -= 1;
    return;
  }
  if (faults.brokenAppends > 0) {
    faults.brokenAppends -= 1;
    call.emit('error', { code: status.UNAVAILABLE, details: 'broken off' });
    return;
  }
  if (faults.cleanlyEndedAppends > 0) {
    faults.cleanlyEndedAppends -= 1;
    call.end();
    return;
  }
  if (call.cancelled || call.writableEnded || call.destroyed) return;
  const response = new BatchAppendResp()
    .setCorrelationId(request.getCorrelationId())
    .setStreamIdentifier(streamIdentifier(stream));
  if (answer.kind !== 'written') call.write(response.setError(batchError(stream, options, answer, context)));
  else call.write(response.setSuccess(batchSuccess(answer.revision, answer.position)));
}

function batchSuccess(revision: number, position: number): BatchAppendResp.Success {
  const success = new BatchAppendResp.Success().setPosition(allPosition(position));
  return revision < 0 ? success.setNoStream(new GoogleEmpty()) : success.setCurrentRevision(String(revision));
}

function batchError(
  stream: string,
  options: BatchAppendReq.Options,
  answer: Exclude<Answer, { kind: 'written' }>,
  context: WriteContext,
): Status {
  if (answer.kind === 'deleted') {
    return statusOf(
      status.FAILED_PRECONDITION,
      'StreamDeleted',
      new StreamDeleted().setStreamIdentifier(streamIdentifier(stream)),
    );
  }
  if (answer.kind === 'too_large') {
    return statusOf(
      status.INVALID_ARGUMENT,
      'MaximumAppendSizeExceeded',
      new MaximumAppendSizeExceeded().setMaxappendsize(context.appendBytesMax),
    );
  }
  const details = new WrongExpectedVersion();
  if (answer.current < 0) details.setCurrentNoStream(new GoogleEmpty());
  else details.setCurrentStreamRevision(String(answer.current));
  if (options.hasStreamPosition()) details.setExpectedStreamPosition(options.getStreamPosition());
  else if (options.hasNoStream()) details.setExpectedNoStream(new GoogleEmpty());
  else if (options.hasStreamExists()) details.setExpectedStreamExists(new GoogleEmpty());
  else details.setExpectedAny(new GoogleEmpty());
  return statusOf(status.FAILED_PRECONDITION, 'WrongExpectedVersion', details);
}

function statusOf(
  code: number,
  name: string,
  details: AccessDenied | MaximumAppendSizeExceeded | StreamDeleted | Unknown | WrongExpectedVersion,
): Status {
  const any = new Any();
  any.pack(details.serializeBinary(), `event_store.client.${name}`);
  return new Status().setCode(code).setMessage(name).setDetails(any);
}

/** Append: one append a call. */
export function append(
  call: ServerReadableStream<AppendReq, AppendResp>,
  respond: sendUnaryData<AppendResp>,
  context: WriteContext,
): void {
  let options: AppendReq.Options | undefined;
  const records: ProposedRecord[] = [];
  call.on('error', () => call.destroy());
  call.on('data', (request: AppendReq) => {
    options = request.getOptions() ?? options;
    const proposed = request.getProposedMessage();
    if (proposed) records.push(recordOf(proposed));
  });
  call.on('end', () => {
    const stream = streamName(options?.getStreamIdentifier());
    const expected = expectedOf(options);
    answerUnary(respond, context, async () => {
      const answer = await carryOut({ stream, expected, records }, context);
      if (answer.kind === 'written') {
        const position = new AppendResp.Position()
          .setCommitPosition(String(answer.position))
          .setPreparePosition(String(answer.position));
        return new AppendResp().setSuccess(
          new AppendResp.Success().setCurrentRevision(String(Math.max(0, answer.revision))).setPosition(position),
        );
      }
      if (answer.kind === 'too_large') throw tooLarge(context);
      if (answer.kind === 'deleted') throw Object.assign(new Error('deleted'), streamDeleted(stream));
      return new AppendResp().setWrongExpectedVersion(wrongVersion(expected, answer.current));
    });
  });
}

function wrongVersion(expected: Expected, current: number): AppendResp.WrongExpectedVersion {
  const wrong = new AppendResp.WrongExpectedVersion();
  if (current < 0) wrong.setCurrentNoStream(new Empty());
  else wrong.setCurrentRevision(String(current));
  if (expected === 'any') return wrong.setExpectedAny(new Empty());
  if (expected === 'stream_exists') return wrong.setExpectedStreamExists(new Empty());
  return expected === 'no_stream'
    ? wrong.setExpectedNoStream(new Empty())
    : wrong.setExpectedRevision(String(expected));
}

/** Delete: readers see nothing any more, numbering goes on (`$tb` at the highest number). */
export function softDelete(
  call: ServerUnaryCall<DeleteReq, DeleteResp>,
  respond: sendUnaryData<DeleteResp>,
  context: WriteContext,
): void {
  const options = call.request.getOptions();
  const stream = streamName(options?.getStreamIdentifier());
  answerUnary(respond, context, async () => {
    const fence = await carryOut({ stream, expected: expectedOf(options), records: [] }, context);
    if (fence.kind !== 'written') throw unaryRefusal(stream, expectedOf(options), fence, context);
    const answer = await carryOut(
      {
        stream: `$$${stream}`,
        expected: 'any',
        records: [
          {
            id: randomUUID(),
            type: '$metadata',
            contentType: 'application/json',
            data: Buffer.from('{"$tb":9223372036854775807}'),
            metadata: new Uint8Array(),
          },
        ],
      },
      context,
    );
    if (answer.kind !== 'written') throw unaryRefusal(stream, expectedOf(options), answer, context);
    return new DeleteResp().setPosition(
      new DeleteResp.Position().setCommitPosition(String(answer.position)).setPreparePosition(String(answer.position)),
    );
  });
}

/** Tombstone: the stream is gone for good. */
export function tombstone(
  call: ServerUnaryCall<TombstoneReq, TombstoneResp>,
  respond: sendUnaryData<TombstoneResp>,
  context: WriteContext,
): void {
  const options = call.request.getOptions();
  const stream = streamName(options?.getStreamIdentifier());
  answerUnary(respond, context, async () => {
    const answer = await carryOut(
      {
        stream,
        expected: expectedOf(options),
        tombstone: true,
        records: [
          {
            id: randomUUID(),
            type: '$streamDeleted',
            contentType: 'application/octet-stream',
            data: new Uint8Array(),
            metadata: new Uint8Array(),
          },
        ],
      },
      context,
    );
    if (answer.kind !== 'written') throw unaryRefusal(stream, expectedOf(options), answer, context);
    return new TombstoneResp().setPosition(
      new TombstoneResp.Position()
        .setCommitPosition(String(answer.position))
        .setPreparePosition(String(answer.position)),
    );
  });
}

function unaryRefusal(
  stream: string,
  expected: Expected,
  answer: Exclude<Answer, { kind: 'written' }>,
  context: WriteContext,
): Error {
  if (answer.kind === 'too_large') return tooLarge(context);
  if (answer.kind === 'deleted') return Object.assign(new Error('deleted'), streamDeleted(stream));
  const facts: Record<string, string> = {
    'stream-name': stream,
    'expected-version': typeof expected === 'number' ? String(expected) : expected === 'no_stream' ? '-1' : '-2',
  };
  if (answer.current >= 0) facts['actual-version'] = String(answer.current);
  return Object.assign(
    new Error('conflict'),
    refusal(
      status.FAILED_PRECONDITION,
      `Append failed: ${stream} is at ${answer.current}.`,
      'wrong-expected-version',
      facts,
    ),
  );
}

function tooLarge({ appendBytesMax }: WriteContext): Error {
  const facts = { 'maximum-append-size': String(appendBytesMax) };
  return Object.assign(
    new Error('too large'),
    refusal(status.INVALID_ARGUMENT, 'Maximum append size exceeded.', 'maximum-append-size-exceeded', facts),
  );
}

function answerUnary<R>(respond: sendUnaryData<R>, { faults }: WriteContext, work: () => Promise<R>): void {
  const admission = faults.admit();
  if (admission === 'never_answer') return;
  if (admission !== 'go') {
    respond(admission);
    return;
  }
  work().then(
    async (response) => {
      await faults.beforeAnswer();
      respond(null, response);
    },
    (error: unknown) => respond(isRefusal(error) ? error : { code: status.UNAVAILABLE, details: String(error) }),
  );
}

function isRefusal(error: unknown): error is Error & { code: number } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}

async function carryOut(write: LogWrite, { queue, appendBytesMax }: WriteContext): Promise<Answer> {
  const bytes = write.records.reduce(
    (sum, { type, data, metadata }) => sum + 2 * type.length + data.length + metadata.length,
    0,
  );
  return bytes > appendBytesMax ? { kind: 'too_large' } : queue.submit(write);
}

function recordOf(message: Proposed): ProposedRecord {
  const metadata = message.getMetadataMap();
  return {
    id: uuidText(message.getId()),
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? 'application/octet-stream',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

function batchExpected(options: BatchAppendReq.Options): Expected {
  if (options.hasStreamPosition()) return Number(options.getStreamPosition());
  if (options.hasNoStream()) return 'no_stream';
  return options.hasStreamExists() ? 'stream_exists' : 'any';
}

function expectedOf(options: AppendReq.Options | DeleteReq.Options | TombstoneReq.Options | undefined): Expected {
  if (options?.hasRevision()) return Number(options.getRevision());
  if (options?.hasNoStream()) return 'no_stream';
  return options?.hasStreamExists() ? 'stream_exists' : 'any';
}
