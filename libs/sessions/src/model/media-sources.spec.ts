import { ManualClock, openedResponse } from '@aos/kernel/testing';
import {
  Egress,
  EgressFailure,
  type EgressRequest,
  type OpenedResponse,
  type JsonObject,
  type ModelBlock,
  type ModelOption,
} from '@aos/kernel';
import { DocumentTexts } from '@aos/platform';
import type { Decisions } from '@aos/platform';
import type { Row, RowFile, SessionEvent } from '../session/session.events.js';
import { sessionKind } from '../session/session.state.js';
import { FileMedia, type MediaFile } from '../turn/file-media.js';
import { MediaSources, type SessionReference } from './media-sources.js';
import { ModelWindows } from './model-window.js';

const mib = 1024 * 1024;
const session: SessionReference = { orgId: 'org_a', sessionId: 'ses_a' };
const seeing: ModelOption = {
  id: 'm',
  provider: 'p',
  label: 'M',
  contextWindowTokens: 1_000_000,
  vision: true,
  documents: true,
  plans: null,
};

const inline = (bytes: Uint8Array): JsonObject => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: Buffer.from(bytes).toString('base64') },
});
const pdf = (bytes: Uint8Array, title: string): JsonObject => ({
  type: 'document',
  title,
  source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(bytes).toString('base64') },
});
const at = (name: string): JsonObject => ({ type: 'image', source: { type: 'url', url: `https://a.example/${name}` } });
const filled = (bytes: number, value: number): Buffer => Buffer.alloc(bytes, value);

class Web extends Egress {
  readonly asked: string[] = [];
  pngBytes = 100;
  override async open({ url }: EgressRequest): Promise<OpenedResponse> {
    this.asked.push(url);
    if (url.endsWith('gone')) throw new EgressFailure('unreachable', false, 'no');
    return openedResponse({
      status: 200,
      headers: { 'content-type': 'image/png' },
      body: Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(this.pngBytes)]),
    });
  }
  override sendMail(): Promise<never> {
    return Promise.reject(new Error('no mail leaves this test'));
  }

  override refusal(): null {
    return null;
  }
}

/** Files of the service, by their ids. */
class Files extends FileMedia {
  readonly there = new Map<string, Buffer>();
  readonly texts = new Map<string, Buffer>();
  reads = 0;
  override artifactAt(): null {
    return null;
  }
  override isVisible(): Promise<boolean> {
    return Promise.resolve(true);
  }
  override find(_orgId: string, artifactId: string): Promise<MediaFile | null> {
    const bytes = this.there.get(artifactId);
    if (!bytes) return Promise.resolve(null);
    const read = () => {
      this.reads += 1;
      return Promise.resolve(bytes);
    };
    const text = this.texts.get(artifactId);
    return Promise.resolve({
      sizeBytes: bytes.length,
      mediaType: 'image/png',
      read,
      ...(text && { text: () => Promise.resolve(text) }),
    });
  }
}

/** A session of these rows, what reads of its log were made, and what a model call is given of it. */
function world(rows: JsonObject[][], rowFiles: RowFile[] = []) {
  const events = rows.map((content, index): SessionEvent => ({
    type: 'MessageAppended',
    data: {
      row: {
        id: `msg_${index}`,
        role: 'user',
        entry_type: 'message',
        sequence: index + 1,
        turn_id: null,
        turn_index: null,
        created_at: '2026-01-01T00:00:00.000Z',
        content,
        ...(rowFiles.length > 0 && { files: rowFiles }),
      } as unknown as Row,
    },
  }));
  const reads: number[] = [];
  const decisions = {
    ownEvents: () => null,
    read: async (_kind: unknown, _id: string, { from, limit }: { from: number; limit: number }) => {
      reads.push(from);
      return events.slice(from, from + limit).map((event, index) => ({ ...event, revision: from + index }));
    },
  } as unknown as Decisions;
  const web = new Web();
  const clock = new ManualClock();
  const files = new Files();
  const media = new MediaSources(web, clock, decisions, new DocumentTexts(clock), files);
  const windows = new ModelWindows(decisions);
  const window = () => windows.upTo(session.sessionId, sessionKind.initial(), events.length - 1);
  const given = async (option: ModelOption = seeing): Promise<ModelBlock[]> => {
    const { messages, media: indexes } = await window();
    reads.length = 0;
    return (await media.given(session, messages, indexes, option, new AbortController().signal)).flatMap(
      ({ content }) => content,
    );
  };
  return { window, given, reads, web, clock, files };
}

const sizes = (blocks: ModelBlock[]) =>
  blocks.map((block) => ('bytes' in block ? block.bytes.length : block.type === 'text' ? block.text : block.type));

describe('media of a transcript', () => {
  it('is not kept in the window, and counts by the estimate', async () => {
    const { window } = world([[{ type: 'text', text: 'see!' }, inline(filled(mib, 1)), pdf(filled(mib, 2), 'Plan')]]);
    const { messages, media, tokens } = await window();
    expect([media, tokens]).toEqual([[0], 2001]);
    expect(messages[0]?.content.slice(1)).toEqual([
      { type: 'stored', kind: 'image', revision: 0, index: 1 },
      { type: 'stored', kind: 'document', revision: 0, index: 2, title: 'Plan' },
    ]);
  });

  it('is given as it was sent, each row read once and then known for a while', async () => {
    const [one, two, three] = [filled(10, 1), filled(20, 2), filled(30, 3)];
    const { given, reads } = world([[inline(one), { type: 'text', text: 'and' }, pdf(two, 'Plan')], [inline(three)]]);
    const expected = [
      { type: 'image', media_type: 'image/png', bytes: one },
      { type: 'text', text: 'and' },
      { type: 'document', media_type: 'application/pdf', bytes: two, title: 'Plan' },
      { type: 'image', media_type: 'image/png', bytes: three },
    ];
    expect(await given()).toEqual(expected);
    expect(reads).toEqual([1, 0]);
    expect(await given()).toEqual(expected);
    expect(reads).toEqual([]);
  });

  it('rule S38: in a tool result it is given behind the results of its row, and is no text of the result', async () => {
    const [one, two] = [filled(10, 1), filled(20, 2)];
    const result = (id: string, ...content: JsonObject[]) => ({ type: 'tool_result', tool_use_id: id, content });
    const { given, window, reads } = world([
      [
        result('a', { type: 'text', text: 'seen' }, inline(one)),
        result('b', pdf(two, 'Plan'), { type: 'document', source: { type: 'text', data: 'words' } }),
      ],
    ]);
    expect((await window()).tokens).toBe(2003);
    const results = ['[result of an earlier call] seen', '[result of an earlier call] words'];
    expect(await given()).toEqual([
      ...results.map((text) => ({ type: 'text', text })),
      { type: 'image', media_type: 'image/png', bytes: one },
      { type: 'document', media_type: 'application/pdf', bytes: two, title: 'Plan' },
    ]);
    expect(reads).toEqual([0]);
    expect(sizes(await given({ ...seeing, vision: false, documents: false }))).toEqual(results);
  });

  it('is neither read nor given to a model that cannot see it', async () => {
    const { given, reads } = world([
      [{ type: 'text', text: 'see' }, inline(filled(10, 1))],
      [pdf(filled(20, 2), 'Plan')],
    ]);
    expect(sizes(await given({ ...seeing, vision: false }))).toEqual(['see', 20]);
    expect(reads).toEqual([1]);
    expect(sizes(await given({ ...seeing, vision: false, documents: false }))).toEqual(['see']);
    expect(reads).toEqual([]);
  });

  it('over 20 MiB: the newest is given, the rest is named and not read', async () => {
    const rows = Array.from({ length: 12 }, (_, n) =>
      n === 6 ? [pdf(filled(4 * mib, n), 'Plan')] : [inline(filled(4 * mib, n))],
    );
    const { given, reads } = world(rows);
    expect(sizes(await given())).toEqual([
      ...Array<string>(6).fill('[an earlier image]'),
      '[an earlier document, Plan]',
      ...Array<number>(5).fill(4 * mib),
    ]);
    expect(reads.length).toBeLessThanOrEqual(9); // five, and what had begun meanwhile
    expect(Math.min(...reads)).toBeGreaterThanOrEqual(3);
  });

  it('of addresses counts too', async () => {
    const { given, web } = world(
      Array.from({ length: 8 }, (_, n) => [n % 2 === 0 ? inline(filled(5 * mib, n)) : at(`${n}.png`)]),
    );
    web.pngBytes = 5 * mib;
    expect(sizes(await given())).toEqual([
      '[an earlier image]',
      '[an earlier image, at https://a.example/1.png]',
      '[an earlier image]',
      '[an earlier image, at https://a.example/3.png]',
      '[an earlier image]',
      5 * mib + 8,
      5 * mib,
      5 * mib + 8,
    ]);
  });

  it('over 100 pieces, 20 of them at addresses: the newest', async () => {
    const { given, web } = world([
      ...Array.from({ length: 21 }, (_, n) => [at(`${n}.png`)]),
      ...Array.from({ length: 85 }, () => [inline(filled(10, 1))]),
    ]);
    const all = sizes(await given());
    expect(all.slice(0, 6)).toEqual(
      Array.from({ length: 6 }, (_, n) => `[an earlier image, at https://a.example/${n}.png]`),
    );
    expect(all.slice(6)).toEqual([...Array<number>(15).fill(108), ...Array<number>(85).fill(10)]);
    expect(web.asked).toHaveLength(15);
  });

  it('rule TE8: of a file of ours comes from the store, once, and not any more when it is gone', async () => {
    const { given, web, files } = world([[at('a'), at('b')]], [{ index: 1, artifact_id: 'art_a' }]);
    const picture = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), filled(10, 1)]);
    files.there.set('art_a', picture);
    expect(sizes(await given())).toEqual([108, 18]);
    await given();
    expect([web.asked, files.reads]).toEqual([['https://a.example/a'], 1]);
    files.there.delete('art_a');
    expect(sizes(await given())).toEqual([108, '[image at https://a.example/b was not read: it was deleted]']);
    files.there.set('art_a', filled(10 * mib + 1, 0));
    expect(sizes(await given())[1]).toBe(`[image at https://a.example/b was not read: it is over ${10 * mib} bytes]`);
    expect(files.reads).toBe(1);
  });

  it('rule TE82: a file that cannot be read is named, and looked at again after a minute', async () => {
    const { given, clock, files } = world([[at('a')]], [{ index: 0, artifact_id: 'art_a' }]);
    files.there.set('art_a', filled(10, 1));
    const named = '[image at https://a.example/a was not read: what is there is no image that can be read]';
    expect([sizes(await given()), sizes(await given()), files.reads]).toEqual([[named], [named], 1]);
    clock.advance(60_001);
    await given();
    expect(files.reads).toBe(2);
  });

  it('rule TE83: the text of a file that was taken out ahead is given, and the file is not read', async () => {
    const document = { type: 'document', source: { type: 'url', url: 'https://a.example/a' } };
    const { given, files } = world([[document]], [{ index: 0, artifact_id: 'art_a' }]);
    files.there.set('art_a', filled(10, 1));
    files.texts.set('art_a', Buffer.from('Tea is cold.'));
    expect(await given()).toEqual([{ type: 'document', media_type: 'text/plain', bytes: Buffer.from('Tea is cold.') }]);
    expect(files.reads).toBe(0);
  });

  it('that an address does not give is said to be missing, and asked for again after a minute', async () => {
    const { given, web, clock } = world([[at('gone')]]);
    expect(sizes(await given())).toEqual([
      '[image at https://a.example/gone was not read: the address could not be reached]',
    ]);
    await given();
    expect(web.asked).toHaveLength(1);
    clock.advance(60_001);
    await given();
    expect(web.asked).toHaveLength(2);
  });
});
