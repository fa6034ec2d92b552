import type { ReadFrame } from './frames.js';
import { Reconnecting, type FollowOptions, type Meaning } from './reconnecting.js';
import type { Transport } from './transport.js';
import type { Query, SourceEvent } from './wire.js';

export interface EventFollowOptions
  extends FollowOptions, Pick<Query<'streamSourceEvents'>, 'event_type' | 'source_kind' | 'source_id'> {
  /** Where to begin without `after`: with what comes from now on (when left out), or with the oldest event kept. */
  from?: 'latest' | 'earliest';
}

/** Later than any event, whatever the clock here says: the page of what came since is empty. */
const never = '9999-01-01T00:00:00.000Z';

/** The organization's events as they come: a frame's `data` is the envelope, its `id` the position. */
export class EventFollow extends Reconnecting<SourceEvent> {
  constructor(
    private readonly transport: Transport,
    private readonly follow: EventFollowOptions = {},
  ) {
    super(follow);
  }

  protected async open(cursor: string | null, signal: AbortSignal): Promise<Response> {
    const { event_type, source_kind, source_id, from } = this.follow;
    const filter = { event_type, source_kind, source_id };
    if (cursor === null && from !== 'earliest') {
      this.moveTo(await this.end(filter, signal));
      cursor = this.cursor;
    }
    return this.transport.open('GET', '/v1/events/stream', { query: { ...filter, cursor, from }, signal });
  }

  /** Where the feed ends now: a stream without a position would lose what happens before its first event came. */
  private async end(filter: Query<'listSourceEvents'>, signal: AbortSignal): Promise<string> {
    const query = { ...filter, since: never, limit: 1 };
    const { next_cursor } = await this.transport.json<{ next_cursor: string }>('GET', '/v1/events', { query, signal });
    return next_cursor;
  }

  protected meaningOf(frame: ReadFrame): Meaning {
    if (frame.data['event_type'] === 'stream.end') return 'rotate';
    return this.isRepeat(frame) ? 'known' : 'new';
  }
}
