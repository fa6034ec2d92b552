import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@aos/kernel';

export interface SeenRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: JsonObject;
  /** Resolves when the caller's connection is gone. */
  closed: Promise<void>;
}

export type Reply = (response: ServerResponse, request: IncomingMessage) => void;

/** An endpoint that answers with what a test lays ready, in order. */
export class FakeProvider {
  readonly seen: SeenRequest[] = [];
  readonly replies: Reply[] = [];
  private readonly waiting: (() => void)[] = [];
  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeProvider> {
    const server = createServer((request, response) => {
      void fake.serve(request, response);
    });
    const fake = new FakeProvider(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Resolves when the request with this number has come. */
  async request(number: number): Promise<SeenRequest> {
    while (this.seen.length <= number) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.seen[number]!;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      response.on('close', resolve);
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.seen.push({
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()) as JsonObject,
      closed,
    });
    this.waiting.splice(0).forEach((resume) => resume());
    const reply = this.replies.shift();
    if (reply) reply(response, request);
    else response.writeHead(500).end('no reply is laid ready');
  }
}

/** A stream of server-sent events; `after` says how it ends. */
export function sse(events: readonly (JsonObject | '[DONE]')[], after: 'end' | 'cut' | 'hang' = 'end'): Reply {
  return (response, request) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const text = events
      .map((event) => {
        if (event === '[DONE]') return 'data: [DONE]\n\n';
        return `${typeof event['type'] === 'string' ? `event: ${event['type']}\n` : ''}data: ${JSON.stringify(event)}\n\n`;
      })
      .join('');
    response.write(text === '' ? ': open\n\n' : text, () => {
      if (after === 'end') response.end();
      if (after === 'cut') setImmediate(() => request.socket.destroy());
    });
  };
}

export function failing(status: number, headers: Record<string, string> = {}): Reply {
  return (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error: { message: `status ${status}`, type: 'server_error' } }));
}

export const breaking: Reply = (_response, request) => {
  request.socket.destroy();
};

/** Never ends: the same piece again and again, as fast as it is read. */
export function endless(status: number, piece: Buffer, headers: Record<string, string> = {}): Reply {
  return (response) => {
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.writeHead(status, headers).on('drain', write);
    write();
  };
}

/** One chunk of a chat completion. */
export function chunk(delta: JsonObject, finish: string | null = null): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'fake-1',
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}

export function usageChunk(usage: JsonObject): JsonObject {
  return { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'fake-1', choices: [], usage };
}

export const chatHello: readonly (JsonObject | '[DONE]')[] = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Hel' }),
  chunk({ content: 'lo' }),
  chunk({}, 'stop'),
  usageChunk({
    prompt_tokens: 120,
    completion_tokens: 7,
    total_tokens: 127,
    prompt_tokens_details: { cached_tokens: 100 },
    completion_tokens_details: { reasoning_tokens: 3 },
  }),
  '[DONE]',
];

/** One Anthropic message: its blocks as start and deltas. */
export function anthropicMessage(
  blocks: readonly { start: JsonObject; deltas: readonly JsonObject[] }[],
  stop = 'end_turn',
): JsonObject[] {
  return [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-x',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 11, cache_read_input_tokens: 200, cache_creation_input_tokens: 30, output_tokens: 1 },
      },
    },
    { type: 'ping' },
    ...blocks.flatMap(({ start, deltas }, index): JsonObject[] => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 42 } },
    { type: 'message_stop' },
  ];
}
