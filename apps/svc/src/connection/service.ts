import { AgentService, ApiError } from '@aos/client';
import { refusedComplaint, strangerComplaint, unreachableComplaint } from './complaints.js';
import type { Connection } from './connection.js';

/** A frame of an event stream: `data` as on the wire, `id` where it has a position. */
export type Frame = { id?: string; data: Record<string, unknown> };
/** What is sent beside method and path. */
export type Sent = {
  query?: Record<string, string | readonly string[]>;
  headers?: Record<string, string>;
  body?: unknown;
};
export type EventFilters = { event_type?: readonly string[]; source_kind?: string; source_id?: string; from?: string };

/** A command is waited for by a person: a service that is away is said after the second try. */
const retries = 1;
/** Below it every answer is JSON, but for bytes and streams. */
const apiPrefix = '/v1/';
const sessionStream = /^\/v1\/sessions\/([^/]+)\/(stream|transcript\/stream)$/;

/** The service as commands use it: the client, whose errors are complaints that say what to do next. */
export class Service {
  private readonly client: AgentService;

  constructor(
    private readonly connection: Connection,
    key: string,
  ) {
    this.client = new AgentService({ baseUrl: connection.url, key, retries });
  }

  /** JSON of the answer, or its text where it is no JSON; undefined without a body. */
  async request(method: string, path: string, { query, headers, body }: Sent): Promise<unknown> {
    let answer: unknown;
    try {
      answer = await this.client.request(method, path, {
        ...(query === undefined ? {} : { query }),
        ...(headers === undefined ? {} : { headers }),
        ...(body === undefined ? {} : { body }),
      });
    } catch (error) {
      throw this.complaintFor(error);
    }
    if (typeof answer === 'string' && path.startsWith(apiPrefix))
      throw strangerComplaint(this.connection, `${method} ${path} gives something else than JSON`);
    return answer;
  }

  /** Bytes of an answer that is neither JSON nor text. */
  async bytes(method: string, path: string, { query }: Sent): Promise<Uint8Array> {
    try {
      const answer = await this.client.response(method, path, query === undefined ? {} : { query });
      return new Uint8Array(await answer.arrayBuffer());
    } catch (error) {
      throw this.complaintFor(error);
    }
  }

  /** Frames of a session over cuts and restarts, behind a position or from its newest rows on. */
  followSession(sessionId: string, how: { after?: string; idle?: 'end' | 'wait' }): AsyncIterable<Frame> {
    return this.complaining(this.client.sessions.follow(sessionId, how));
  }

  /** Source events over cuts and restarts. */
  followEvents(filters: EventFilters, after: string | undefined): AsyncIterable<Frame> {
    const { event_type: types, from, ...rest } = filters;
    const options = {
      ...rest,
      ...(types === undefined ? {} : { event_type: [...types] }),
      ...(from === 'earliest' ? { from: 'earliest' as const } : {}),
      ...(after === undefined ? {} : { after }),
    };
    return this.complaining(this.client.events.follow(options));
  }

  /** Frames of one connection to a stream of the API. */
  frames(path: string, { query = {}, headers = {} }: Sent): AsyncIterable<Frame> {
    const [, session, stream] = sessionStream.exec(path) ?? [];
    if (session !== undefined) {
      const id = decodeURIComponent(session);
      const method = stream === 'stream' ? 'stream' : 'streamTranscript';
      return this.complaining(this.client.sessions[method](id, query, { headers }));
    }
    return this.complaining(this.client.events.stream(query, { headers }));
  }

  private async *complaining(frames: AsyncIterable<unknown>): AsyncGenerator<Frame, void, undefined> {
    try {
      for await (const frame of frames) yield frame as Frame;
    } catch (error) {
      throw this.complaintFor(error);
    }
  }

  /** A complaint for what the client refuses; what is no error of its own stays as it is. */
  private complaintFor(error: unknown): unknown {
    if (!(error instanceof ApiError)) return error;
    if (error.code === 'invalid_response') return strangerComplaint(this.connection, error.message);
    if (error.status === 0) return unreachableComplaint(error, this.connection);
    return refusedComplaint(error, this.connection);
  }
}
