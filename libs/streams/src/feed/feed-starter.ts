import { Injectable, Optional } from '@nestjs/common';
import { Clock, LiveBus, notFound } from '@aos/kernel';
import { Decisions, Metrics, type CounterMetric } from '@aos/platform';
import { SessionWatches, sessionKind } from '@aos/sessions/published';
import { ChangeNotifier } from './change-notifier.js';
import { factsOf } from './session-facts.js';
import { SessionFeed } from './session-feed.js';
import { SessionLog } from './session-log.js';

/** Starts the feed of one session: it stands at the log's end, hears of changes, and says that it is there. */
@Injectable()
export class FeedStarter {
  private readonly dropped: CounterMetric | null;

  constructor(
    private readonly decisions: Decisions,
    private readonly log: SessionLog,
    private readonly bus: LiveBus,
    private readonly notifier: ChangeNotifier,
    private readonly watches: SessionWatches,
    private readonly clock: Clock,
    @Optional() metrics?: Metrics,
  ) {
    this.dropped =
      metrics?.counter('stream_frames_dropped_total', 'Live frames that slow readers of streams did not get.') ?? null;
  }

  /**
   * Begins at what is known here of the session and reads on from there.
   *
   * Refuses `not_found` for a session that was never opened.
   */
  async start(sessionId: string, onTrouble: (error: unknown) => void): Promise<SessionFeed> {
    const { state, revision } = await this.decisions.load(sessionKind, sessionId, 0);
    if (!state.opening) throw notFound('session');
    const feed = new SessionFeed({
      names: { orgId: state.opening.org_id, sessionId, agentId: state.opening.agent_id },
      facts: factsOf(state),
      head: revision,
      log: this.log,
      bus: this.bus,
      clock: this.clock,
      announcement: this.watches.announcement(sessionId, onTrouble),
      onTrouble,
      onDropped: (frames) => {
        this.dropped?.add({}, frames);
      },
    });
    try {
      await feed.listen(this.notifier);
    } catch (error) {
      feed.close();
      throw error;
    }
    return feed;
  }
}
