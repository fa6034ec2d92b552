import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { logPosition, positionText } from './position.js';
import { feedAnswer, followRequest, lastReadRequest, readAnswer, streamReadRequest } from './read-messages.js';

type Recorded = Parameters<typeof eventMessage>[0];

/** A message as the generated classes write it. */
function eventMessage(event: {
  id: string;
  type: string;
  isJson: boolean;
  data: string;
  meta: string;
  stream: string;
  revision: number;
  commit: bigint;
  prepare: bigint;
}): Buffer {
  const [answer, resolved, recorded] = [
    new ReadResp(),
    new ReadResp.ReadEvent(),
    new ReadResp.ReadEvent.RecordedEvent(),
  ];
  const [id, stream] = [new UUID(), new StreamIdentifier()];
  id.setString(event.id);
  stream.setStreamName(Buffer.from(event.stream).toString('base64'));
  recorded.setId(id);
  recorded.setStreamIdentifier(stream);
  recorded.setStreamRevision(String(event.revision));
  recorded.setCommitPosition(String(event.commit));
  recorded.setPreparePosition(String(event.prepare));
  recorded.getMetadataMap().set('created', '638000000000000000');
  recorded.getMetadataMap().set('type', event.type);
  recorded.getMetadataMap().set('content-type', event.isJson ? 'application/json' : 'application/octet-stream');
  recorded.setCustomMetadata(Buffer.from(event.meta).toString('base64'));
  recorded.setData(Buffer.from(event.data).toString('base64'));
  resolved.setEvent(recorded);
  resolved.setCommitPosition(String(event.commit));
  answer.setEvent(resolved);
  return Buffer.from(answer.serializeBinary());
}

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }).map((value) => Buffer.from(value).toString());
const position = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const event: fc.Arbitrary<Recorded> = fc.record({
  id: fc.uuid(),
  type: text,
  isJson: fc.boolean(),
  data: text,
  meta: text,
  stream: text,
  revision: fc.maxSafeNat(),
  commit: position,
  prepare: position,
});

test('an event is read as the generated classes write it, whatever its texts and numbers', () => {
  fc.assert(
    fc.property(event, (written) => {
      const read = readAnswer(eventMessage(written));
      if (read === null || read === 'no_stream') throw new Error('an event was written');
      expect({ ...read, data: read.data.toString(), meta: read.meta.toString() }).toEqual(written);
    }),
  );
});

test('a request is what the generated classes read', () => {
  const from = fc.oneof(fc.maxSafeNat(), fc.constantFrom('start' as const, 'end' as const));
  fc.assert(
    fc.property(text, from, fc.boolean(), fc.integer({ min: 1, max: 4096 }), (name, start, backwards, limit) => {
      const options = ReadReq.deserializeBinary(
        streamReadRequest(name, { from: start, backwards, limit }),
      ).getOptions();
      const stream = options?.getStream();
      expect(Buffer.from(stream?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(name);
      expect(stream?.hasRevision() ? Number(stream.getRevision()) : stream?.hasStart() ? 'start' : 'end').toBe(start);
      expect(options?.getReadDirection()).toBe(backwards ? 1 : 0);
      expect(options?.getCount()).toBe(String(limit));
      expect([options?.hasNoFilter(), options?.getUuidOption()?.hasString()]).toEqual([true, true]);
      expect([options?.hasSubscription(), options?.getResolveLinks()]).toEqual([false, false]);
    }),
  );
  const last = ReadReq.deserializeBinary(lastReadRequest()).getOptions();
  expect([last?.getAll()?.hasEnd(), last?.getReadDirection(), last?.getCount()]).toEqual([true, 1, '1']);
  expect(() => streamReadRequest('s', { from: -1, backwards: false, limit: 1 })).toThrow(RangeError);
});

test('a stream that is not there, and messages that say something else, are told apart', () => {
  const missing = new ReadResp();
  missing.setStreamNotFound(new ReadResp.StreamNotFound());
  expect(readAnswer(Buffer.from(missing.serializeBinary()))).toBe('no_stream');
  const confirmed = new ReadResp();
  confirmed.setConfirmation(new ReadResp.SubscriptionConfirmation());
  expect(readAnswer(Buffer.from(confirmed.serializeBinary()))).toBeNull();
  const linked = new ReadResp.ReadEvent();
  linked.setNoPosition(new Empty());
  const gone = new ReadResp();
  gone.setEvent(linked);
  expect(readAnswer(Buffer.from(gone.serializeBinary()))).toBeNull();
});

test('bytes that are no message, or cut, are refused', () => {
  const whole = eventMessage({
    id: 'a',
    type: 'T',
    isJson: true,
    data: '{}',
    meta: '{}',
    stream: 's-1',
    revision: 1,
    commit: 1n,
    prepare: 1n,
  });
  for (let length = 1; length < whole.length; length += 1)
    expect(() => readAnswer(whole.subarray(0, length))).toThrow();
  expect(() => readAnswer(Buffer.from([0x0f, 1]))).toThrow(/kind/);
  expect(() => readAnswer(Buffer.from([0x0a, 0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]))).toThrow(/too long/);
});

test('what asks for a subscription is what the generated classes read', () => {
  const prefixes = fc.array(text, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(prefixes, fc.option(fc.record({ commit: position, prepare: position })), (names, behind) => {
      const from = behind && behind.commit < 2n ** 64n - 1n ? positionText(behind) : '';
      const options = ReadReq.deserializeBinary(followRequest(names, from)).getOptions();
      const [all, filter] = [options?.getAll(), options?.getFilter()];
      expect(filter?.getStreamIdentifier()?.getPrefixList()).toEqual(names);
      expect([filter?.hasCount(), filter?.getCheckpointintervalmultiplier()]).toEqual([true, 1]);
      expect([options?.hasSubscription(), options?.getUuidOption()?.hasString()]).toEqual([true, true]);
      expect(options?.getResolveLinks()).toBe(false);
      if (from === '') expect(all?.hasStart()).toBe(true);
      else {
        const { commit, prepare } = logPosition(from);
        expect(all?.getPosition()?.getCommitPosition()).toBe(String(commit));
        expect(all?.getPosition()?.getPreparePosition()).toBe(String(prepare));
      }
    }),
  );
});

test('each answer of a subscription is read as the generated classes write it', () => {
  const answered = (answer: ReadResp) => feedAnswer(Buffer.from(answer.serializeBinary()));
  fc.assert(
    fc.property(event, position, position, (written, commit, prepare) => {
      const read = feedAnswer(eventMessage(written));
      if (read === null || typeof read === 'string' || !('stream' in read)) throw new Error('an event was written');
      expect({ ...read, data: read.data.toString(), meta: read.meta.toString() }).toEqual(written);
      const checkpoint = new ReadResp.Checkpoint()
        .setCommitPosition(String(commit))
        .setPreparePosition(String(prepare));
      expect(answered(new ReadResp().setCheckpoint(checkpoint))).toEqual({ commit, prepare });
    }),
  );
  expect(answered(new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation()))).toBe('confirmed');
  expect(answered(new ReadResp().setCaughtUp(new ReadResp.CaughtUp()))).toBe('caught_up');
  expect(answered(new ReadResp().setFellBehind(new ReadResp.FellBehind()))).toBeNull();
});
