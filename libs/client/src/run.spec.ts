import { AgentService } from './agent-service.js';
import type { Fetch } from './transport.js';
import type { WorkerSocket } from './worker.js';

type Stream = ReadableStreamDefaultController<Uint8Array>;

const turn = (status: string) => ({ event_type: 'turn.upsert', id: 'turn_1', status });
const row = (text: string, status = 'streaming') => ({
  event_type: 'message.upsert',
  id: 'msg_1',
  turn_id: 'turn_1',
  role: 'assistant',
  status,
  content: [{ type: 'text', text }],
});
const delta = (text: string) => ({ event_type: 'message.delta', message_id: 'msg_1', content_index: 0, text });
const ready = { event_type: 'stream.ready', resume_cursor: 'c0' };

/** A service whose turn is written by the test; each connection to its stream is there once it was opened. */
function service() {
  const streams: Stream[] = [];
  const opened: (() => void)[] = [];
  /** What was asked for beside the stream. */
  const looks: string[] = [];
  const fetch: Fetch = async (url, { signal }) => {
    if (url.endsWith('/invoke'))
      return Response.json({ session_id: 'ses_1', turn_id: 'turn_1', resume_cursor: 'c0' }, { status: 202 });
    if (!url.includes('/stream')) {
      looks.push(url);
      return Response.json({ id: 'turn_1', status: 'running' });
    }
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        streams.push(controller);
        signal?.addEventListener('abort', () => controller.error(signal.reason));
        opened.shift()?.();
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const connection = async (index: number): Promise<(...frames: object[]) => void> => {
    if (!streams[index]) await new Promise<void>((resolve) => opened.push(resolve));
    const encoder = new TextEncoder();
    return (...frames) =>
      streams[index]?.enqueue(encoder.encode(frames.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('')));
  };
  const cut = (index: number) => streams[index]?.error(new Error('cut'));
  return { svc: new AgentService({ baseUrl: 'http://service', fetch }), streams, connection, cut, looks };
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

describe('the text of a run', () => {
  it('says nothing twice where a cut stream begins a little behind what was given', async () => {
    const { svc, connection, cut } = service();
    const said = textOf(svc.invoke('guide', 'hi').text());
    (await connection(0))(row(''), ready, delta('one '), delta('two '), delta('three '));
    await new Promise(setImmediate);
    cut(0);
    (await connection(1))(row('one '), ready, delta('two '), row('one two three '), delta('four'));
    (await connection(1))(row('one two three four', 'final'), turn('completed'));
    await expect(said).resolves.toBe('one two three four');
  });

  it('is whole for who reads it again after leaving it, over one stream', async () => {
    const { svc, connection, streams, looks } = service();
    const run = svc.invoke('guide', 'hi');
    const say = connection(0).then((first) => first(row(''), ready, delta('one ')));
    for await (const piece of run.text()) {
      expect(piece).toBe('one ');
      break;
    }
    await say;
    const said = textOf(run.text());
    const done = run.done();
    const again = await connection(1);
    again(row('one '), ready);
    for (const word of ['two ', 'three ', 'four']) again(delta(word));
    again(turn('completed'));
    await expect(said).resolves.toBe('one two three four');
    await expect(done).resolves.toMatchObject({ status: 'completed' });
    expect([streams.length, looks]).toEqual([2, []]); // the watch before would look, and open a third
  });
});

describe('a signal that has fired before', () => {
  it('ends a worker without a connection', async () => {
    let sockets = 0;
    const WebSocket = class {
      constructor() {
        sockets += 1;
      }
    } as new () => WorkerSocket;
    const { svc } = service();
    await svc.worker({ actions: {}, signal: AbortSignal.abort(), WebSocket }).done;
    expect(sockets).toBe(0);
  });

  it('ends a transcript before it is read', async () => {
    const { svc, streams } = service();
    const transcript = svc.sessions.transcript('ses_1', { signal: AbortSignal.abort() });
    await expect(transcript.ready).rejects.toMatchObject({ name: 'AbortError' });
    expect([transcript.error, streams]).toEqual([null, []]);
  });
});
