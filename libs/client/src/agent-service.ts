import { EventFollow, type EventFollowOptions } from './event-follow.js';
import { ResourceGroups, type Resources } from './operations.js';
import { resourcesOf } from './resources.js';
import { Run, type InvokeOptions } from './run.js';
import { SessionFollow, type SessionFollowOptions } from './session-follow.js';
import { Transcript, type TranscriptOptions } from './transcript.js';
import { Transport, type Call, type TransportOptions } from './transport.js';
import type { RequestBody } from './wire.js';
import { Worker, type WorkerOptions } from './worker.js';

export interface SessionStreams {
  /** Frames of the v2 stream over cuts, rotations and restarts, without loss or repeat. */
  follow(sessionId: string, options?: SessionFollowOptions): SessionFollow;
  /** The session as it stands, kept up to date until `close()`. */
  transcript(sessionId: string, options?: TranscriptOptions): Transcript;
}

export interface EventStreams {
  /** The organization's events as they come, over cuts and restarts. */
  follow(options?: EventFollowOptions): EventFollow;
}

/** A client of the service: the operations of its contract by noun and verb, and what is built of several. */
export class AgentService extends ResourceGroups {
  declare readonly sessions: Resources['sessions'] & SessionStreams;
  declare readonly events: Resources['events'] & EventStreams;
  private readonly transport: Transport;

  constructor(options: TransportOptions) {
    super();
    const transport = new Transport(options);
    this.transport = transport;
    const resources = resourcesOf(transport);
    const sessions: SessionStreams = {
      follow: (sessionId, follow) => new SessionFollow(transport, sessionId, follow),
      transcript: (sessionId, how) => new Transcript(transport, sessionId, how),
    };
    const events: EventStreams = { follow: (follow) => new EventFollow(transport, follow) };
    Object.assign(this, resources, {
      sessions: { ...resources.sessions, ...sessions },
      events: { ...resources.events, ...events },
    });
  }

  get baseUrl(): string {
    return this.transport.baseUrl;
  }

  /** Starts a turn of the agent, by name or id, and gives a handle on it at once. */
  invoke(
    agent: string | RequestBody<'invokeAgent'>['agent_ref'],
    input: string | RequestBody<'invokeAgent'>['input']['content'],
    options?: InvokeOptions,
  ): Run {
    return new Run(this.transport, agent, input, options);
  }

  /** Connects and carries out jobs of these actions, until it is drained or closed. */
  worker(options: WorkerOptions): Worker {
    return new Worker(this.transport, options);
  }

  /** Any request: its JSON, or its text where it is no JSON. Refuses with `ApiError`. */
  async request<Body = unknown>(method: string, path: string, call: Omit<Call, 'path'> = {}): Promise<Body> {
    const response = await this.transport.whole(method.toUpperCase(), path, call);
    const text = await response.text();
    if (text === '') return undefined as Body;
    return (response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as Body;
  }

  /** As `request`, with the answer as it came: headers, status, bytes. */
  response(method: string, path: string, call: Omit<Call, 'path'> = {}): Promise<Response> {
    return this.transport.whole(method.toUpperCase(), path, call);
  }
}
