import type { Row, SessionEvent } from '../session/session.events.js';
import { transcriptMessageWire } from '../session/session.wire.js';
import { rowFragment, transcriptText } from './row-fragment.js';
import { SessionFragments, sessionBytesMax, type FragmentSource } from './session-fragments.js';
import { chunkBytesMax, chunkRevisions } from './transcript-chunk.js';
import { TranscriptFragments, fragmentBytesMax } from './transcript-fragments.js';

const [sessionId, agentId] = ['ses_00000000000000000000000001', 'agent_00000000000000000000000001'];

function rowAt(sequence: number, text: string, over: Partial<Row> = {}): Row {
  return {
    id: `msg_${sequence}`,
    role: 'user',
    content: [{ type: 'text', text }],
    entry_type: 'message',
    sequence,
    turn_id: null,
    turn_index: null,
    created_at: '2026-01-01T00:00:00.000Z',
    ...over,
  };
}

/** A stream with a row of so many characters at each revision. */
function rows(count: number, characters: number): FragmentSource & { reads: number } {
  const source = {
    reads: 0,
    scan: async (_kind: unknown, _id: string, { from, limit }: { from: number; limit: number }) => {
      source.reads += 1;
      const events = Array.from({ length: Math.max(0, Math.min(limit, count - from)) }, (_, at) => ({
        type: 'MessageAppended' as const,
        data: { row: rowAt(from + at + 1, 'x'.repeat(characters)) },
        revision: from + at,
        isPartial: false,
      }));
      return { events, last: events.at(-1)?.revision ?? null };
    },
    read: async () => {
      throw new Error('nothing lies in Blobs');
    },
  };
  return source as unknown as FragmentSource & { reads: number };
}

async function walk(session: SessionFragments, head: number): Promise<number | null> {
  let met = 0;
  const chunks = await session.rowsDown({ from: head, head, span: 50 }, () => {
    met += 1;
    return true;
  });
  return chunks && met;
}

describe('fragments of transcripts', () => {
  test.each<[string, Partial<Row>]>([
    ['outside a turn', {}],
    ['of a turn', { turn_id: 'turn_1', turn_index: 3 }],
    ['with metadata', { metadata: { a: 1 }, turn_id: 'turn_1', turn_index: 0 }],
    ['a summary', { covers_through_sequence: 4, role: 'compaction' }],
    [
      'with calls',
      {
        turn_id: 'turn_1',
        turn_index: 1,
        content: [
          { type: 'tool_use', id: 'a', name: 'tool', status: 'waiting', input: {} },
          { type: 'text', text: 'between' },
          { type: 'tool_use', id: 'b', name: 'tool', input: {} },
        ],
      },
    ],
  ])('a row %s reads as its wire form', (_name, over) => {
    const row = rowAt(7, 'h\u00e9llo \u2028 "quoted"', over);
    const fragment = rowFragment(row, 12, sessionId, agentId);
    const statusOf = ({ id, open }: { id: string; open: string }) => (id === 'a' ? 'ok' : open);
    const status = new Map([
      ['a', 'ok'],
      ['b', 'running'],
    ]);
    const shown = {
      ...row,
      content: row.content.map((block) =>
        block.type === 'tool_use' ? { ...block, status: status.get(String(block.id)) ?? '' } : block,
      ),
    };
    expect(transcriptText(fragment, statusOf)).toBe(JSON.stringify(transcriptMessageWire(shown, sessionId, agentId)));
  });

  test('a session keeps its newest chunks, at most 8 MiB of them', async () => {
    const count = 40 * chunkRevisions;
    const source = rows(count, 4_000);
    const session = new SessionFragments(source, sessionId, agentId, () => undefined);
    expect(await walk(session, count - 1)).toBe(count);
    expect(session.weight).toBeLessThanOrEqual(sessionBytesMax);
    expect(session.weight).toBeGreaterThan(sessionBytesMax / 2);
    source.reads = 0;
    let left = 1_000;
    await session.rowsDown({ from: count - 1, head: count - 1, span: 1_000 }, () => (left -= 1) > 0);
    expect(source.reads).toBe(0);
  });

  test('a chunk of more than 4 MiB is not kept, and not read again', async () => {
    const source = rows(chunkRevisions, Math.ceil(chunkBytesMax / chunkRevisions) + 1);
    const session = new SessionFragments(source, sessionId, agentId, () => undefined);
    expect(await walk(session, chunkRevisions - 1)).toBeNull();
    expect(source.reads).toBe(1);
    expect(await walk(session, chunkRevisions - 1)).toBeNull();
    expect(source.reads).toBe(1);
    expect(session.weight).toBeLessThan(10_000);
  });

  test('all sessions together keep at most 64 MiB, and those read last stay', async () => {
    const count = 8 * chunkRevisions;
    const source = rows(count, 3_000);
    const fragments = new TranscriptFragments(
      source as unknown as ConstructorParameters<typeof TranscriptFragments>[0],
    );
    const sessions = new Set<SessionFragments>();
    for (let at = 0; at < 40; at += 1) {
      const session = fragments.of(`ses_${at}`, agentId);
      await walk(session, count - 1);
      sessions.add(session);
    }
    let kept = 0;
    for (let at = 39; at >= 0; at -= 1) {
      const session = fragments.of(`ses_${at}`, agentId);
      if (sessions.has(session)) kept += session.weight;
      if (at === 39) expect(sessions.has(session)).toBe(true);
    }
    expect(kept).toBeLessThanOrEqual(fragmentBytesMax);
    expect(kept).toBeGreaterThan(0);
  });

  test('what is forgotten does not come back with a read that was under way', async () => {
    const fragments = new TranscriptFragments(
      rows(10, 10) as unknown as ConstructorParameters<typeof TranscriptFragments>[0],
    );
    const session = fragments.of(sessionId, agentId);
    const reading = walk(session, 9);
    fragments.forget(sessionId);
    await reading;
    expect(fragments.of(sessionId, agentId)).not.toBe(session);
  });

  test('a stream that ends before the head is not kept', async () => {
    const session = new SessionFragments(rows(10, 10), sessionId, agentId, () => undefined);
    expect(await walk(session, 20)).toBeNull();
  });

  test('values in Blobs that hide what a chunk must know are put back, and their rows stay out', async () => {
    const whole = rowAt(1, 'large');
    const source = {
      scan: async () => ({
        events: [
          { type: 'MessageAppended', data: { row: { $blob: 'b', enc: 'refs' } }, revision: 0, isPartial: true },
          { type: 'MessageAppended', data: { row: rowAt(2, 'small') }, revision: 1, isPartial: false },
        ],
        last: 1,
      }),
      read: async (): Promise<(SessionEvent & { revision: number })[]> => [
        { type: 'MessageAppended', data: { row: whole }, revision: 0 },
      ],
    } as unknown as FragmentSource;
    const session = new SessionFragments(source, sessionId, agentId, () => undefined);
    const met: [number, boolean][] = [];
    await session.rowsDown({ from: 1, head: 1, span: 10 }, ({ sequence, parts }) => {
      met.unshift([sequence, parts === null]);
      return true;
    });
    expect(met).toEqual([
      [1, true],
      [2, false],
    ]);
  });
});
