import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import type { JsonObject } from '@aos/kernel';
import type { Block, SessionEvent } from '@aos/sessions/published';
import { LiveRows, type LiveChange } from './live-row.frames.js';
import { History, Streaming } from '../testing/history.fixture.js';
import { agentId, orgId, sessionId } from '../testing/streams.fixture.js';
import { encodeFrame, type Frame } from './encoded.frames.js';
import { eventFramesV1, liveFramesV1, resyncFrame } from './v1.frames.js';
import { durableFramesV2, endFrame, liveFramesV2, readyFrame } from './v2.frames.js';
import type { CallPositions } from './tool-status.frames.js';

const names = { orgId, sessionId, agentId };
const root = join(__dirname, '..', '..', '..', '..');

/** One of every event that a reader sees, in an order that can happen. */
function everything(): SessionEvent[] {
  const history = new History();
  return [
    ...history.opened(),
    ...history.queued('hi', true),
    ...history.claimed(),
    ...history.called('a', 'b'),
    ...history.answered('a'),
    ...history.results('a', 'b'),
    ...history.interaction('iact_1', 'pending'),
    ...history.parked('iact_1'),
    ...history.interaction('iact_1', 'completed'),
    ...history.resumed(),
    ...history.claimed(),
    ...history.nudge(),
    ...history.nudge('delivered'),
    ...history.nudge('cancelled'),
    ...history.compacting(),
    ...history.compactionFailed(),
    ...history.compacting(),
    ...history.said('done'),
    ...history.summarised(),
    ...history.ended(),
    ...history.queued('again'),
    ...history.partial(),
    ...history.ended('failed'),
    ...history.queued('once more'),
    ...history.ended('cancelled'),
  ];
}

/** A row that streams, is begun again, and calls a tool. */
function live(): LiveChange[] {
  const history = new History();
  history.queued();
  const streaming = new Streaming(history.turnId, history);
  const row = { message_id: streaming.messageId, turn_index: streaming.turnIndex };
  const rows = new LiveRows();
  const tool = { message_id: streaming.messageId, content_index: 1, tool_call_id: 'a', tool_name: 'tool' };
  const signals = [
    streaming.started(),
    streaming.block(0, { type: 'text', text: '' }),
    streaming.delta(0, 0, 'Hel'),
    streaming.signal({ type: 'row_discarded', ...row }),
    streaming.started(),
    streaming.block(0, { type: 'thinking', thinking: '' }),
    streaming.signal({
      type: 'delta',
      ...row,
      content_index: 0,
      offset: 0,
      thinking: 'hm',
      delta_sequence: 1,
      model: 'm',
    }),
    streaming.block(0, { type: 'thinking', thinking: 'hm', signature: 's' }, true),
    streaming.signal({
      type: 'tool_call',
      ...tool,
      input: { a: 1 },
      resolved_action: { name: 'x.y', input: { a: 1 } },
      progress: { percent: 10 },
    }),
    streaming.signal({
      type: 'tool_result',
      ...tool,
      content: [{ type: 'text', text: 'no' }],
      is_error: true,
      status: 'error',
    }),
  ];
  return signals.flatMap((signal) => {
    const change = rows.apply(signal);
    if (change === 'gap') throw new Error('a gap in the script');
    return change ? [structuredClone(change)] : [];
  });
}

function told(protocol: 'v1' | 'v2'): Frame[] {
  const calls: CallPositions = new Map();
  if (protocol === 'v1')
    return [
      ...everything().flatMap((event) => eventFramesV1(event, names)),
      ...live().flatMap((change) => liveFramesV1(change, names)),
      resyncFrame(sessionId),
      endFrame(sessionId, 'idle'),
    ];
  return [
    ...everything().flatMap((event) => durableFramesV2(event, names, calls)),
    ...live().flatMap((change) => liveFramesV2(change, names, calls)),
    readyFrame(names, 'cursor'),
    endFrame(sessionId, 'rotate'),
  ];
}

describe.each(['v1', 'v2'] as const)('%s frames', (protocol) => {
  const file = join(__dirname, 'golden', `frames.${protocol}.json`);
  const frames = told(protocol);

  test('are those of the golden file', () => {
    expect(frames.map(({ payload }) => payload)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  });

  test('repeat their name in the payload and fit the contract', () => {
    const checks = contractChecks();
    for (const { name, payload } of frames) {
      expect(payload.event_type).toBe(name);
      if (name === 'interaction.upsert') continue; // the record is its own context's to fit
      const check = checks(protocol, name);
      expect({ name, errors: check(payload) ? [] : check.errors }).toEqual({ name, errors: [] });
    }
  });
});

test('every frame of the contract is told', () => {
  const missing = (protocol: 'v1' | 'v2', contract: string) => {
    const have = new Set(told(protocol).map(({ name }) => name));
    return frameNames(contract).filter((name) => !have.has(name));
  };
  expect(missing('v1', 'SessionStreamFrame')).toEqual([]);
  expect(missing('v2', 'SessionTranscriptFrame')).toEqual([]);
});

describe('encoding', () => {
  test('is id, event, one data line, blank line', () => {
    const { bytes } = encodeFrame({ name: 'x', payload: { text: 'a\nb\r\u2028' } }, '7');
    expect(bytes.toString()).toBe('id: 7\nevent: x\ndata: {"text":"a\\nb\\r\u2028"}\n\n');
    expect(encodeFrame({ name: 'x', payload: {} }).bytes.toString()).toBe('event: x\ndata: {}\n\n');
  });

  test.each(['\n', '\r', '\0'])('refuses a break in a field (%j)', (bad) => {
    expect(() => encodeFrame({ name: `x${bad}`, payload: {} })).toThrow('line break');
    expect(() => encodeFrame({ name: 'x', payload: {} }, `1${bad}`)).toThrow('line break');
  });
});

describe('live rows', () => {
  const text = (value: string): Block => ({ type: 'text', text: value });

  test('skip what is known by its offset, and say when something is missing', () => {
    const history = new History();
    history.queued();
    const streaming = new Streaming(history.turnId, history);
    const rows = new LiveRows();
    expect(rows.apply(streaming.delta(0, 0, 'x'))).toBe('gap');
    rows.apply(streaming.started());
    expect(rows.apply(streaming.block(1, text('')))).toBe('gap');
    rows.apply(streaming.block(0, text('')));
    rows.apply(streaming.delta(0, 0, 'Hello'));
    expect(rows.apply(streaming.delta(0, 0, 'Hel'))).toBeNull();
    expect(rows.apply(streaming.delta(0, 3, 'lo you'))).toMatchObject({ type: 'delta', text: ' you' });
    expect(rows.apply(streaming.delta(0, 20, '!'))).toBe('gap');
    expect(rows.get(history.turnId)?.content).toEqual([text('Hello you')]);
  });
});

type Schemas = Record<
  string,
  JsonObject & {
    properties?: { event_type?: { const?: string; enum?: string[] } };
    allOf?: JsonObject[];
    anyOf?: { $ref: string }[];
    oneOf?: { $ref: string }[];
  }
>;

const { schemas } = (
  parse(readFileSync(join(root, 'contract', 'openapi.yaml'), 'utf8')) as { components: { schemas: Schemas } }
).components;

/** The names that a frame schema allows. */
function namesOf(schema: Schemas[string]): string[] {
  const parts = [schema, ...((schema.allOf ?? []) as Schemas[string][])];
  return parts.flatMap(
    ({ properties }) =>
      properties?.event_type?.enum ??
      (properties?.event_type?.const === undefined ? [] : [properties.event_type.const]),
  );
}

function members(contract: string): { schema: string; names: string[] }[] {
  const union = schemas[contract];
  return (union?.anyOf ?? union?.oneOf ?? []).map(({ $ref }) => {
    const schema = $ref.slice($ref.lastIndexOf('/') + 1);
    return { schema, names: namesOf(schemas[schema] as Schemas[string]) };
  });
}

function frameNames(contract: string): string[] {
  return members(contract).flatMap(({ names: known }) => known);
}

function contractChecks(): (protocol: 'v1' | 'v2', name: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema({ $id: 'contract', components: { schemas } });
  return (protocol, name) => {
    const member = members(protocol === 'v1' ? 'SessionStreamFrame' : 'SessionTranscriptFrame').find(
      ({ names: known }) => known.includes(name),
    );
    const check = ajv.getSchema(`contract#/components/schemas/${member?.schema ?? ''}`);
    if (!check) throw new Error(`the contract has no ${protocol} frame ${name}`);
    return check;
  };
}

it('a claim that is renewed shows nothing: the turn is what it was', () => {
  const history = new History();
  const [, , , claim] = [...history.opened(), ...history.queued(), ...history.claimed()];
  if (claim?.type !== 'TurnClaimed') throw new Error('the history begins otherwise');
  const renewed: SessionEvent = { type: 'TurnClaimed', data: { ...claim.data, active_ms: 15_000 } };
  expect(eventFramesV1(renewed, names)).toEqual([]);
  expect(durableFramesV2(renewed, names, new Map())).toEqual([]);
});

it('what is shown of a long result ends with a whole character', () => {
  const history = new History();
  history.queued();
  const streaming = new Streaming(history.turnId, history);
  const rows = new LiveRows();
  rows.apply(streaming.started());
  const text = `${'x'.repeat(1999)}\u{1F600}\u{1F600}`;
  const change = rows.apply(
    streaming.signal({
      type: 'tool_result',
      message_id: streaming.messageId,
      content_index: 1,
      tool_call_id: 'a',
      tool_name: 'tool',
      content: [{ type: 'text', text }],
      is_error: false,
      status: 'ok',
    }),
  );
  if (!change || change === 'gap') throw new Error('nothing is shown');
  const frames = liveFramesV1(change, names);
  expect(frames.map(({ payload }) => payload['display'])).toEqual([`${'x'.repeat(1999)}\u{1F600}…`]);
});
