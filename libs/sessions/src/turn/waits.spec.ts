import type { OutcomeRecord, SessionEvent, ToolOutcome, TurnWait } from '../session/session.events.js';
import { turnId } from '../session/session.ids.js';
import { sessionKind, type OpenTurn, type SessionState } from '../session/session.state.js';
import { cancelNudge, queueNudge } from './nudges.decide.js';
import { applyOutcome } from '../outcomes/outcomes.decide.js';
import { startRoutineTurn } from '../routine-turns/routine-turns.decide.js';
import { finishJob, type JobPlan } from './jobs.decide.js';
import { cancelTurn, claimTurn, failTurn, parkTurn, recordAnswer, recordOutcome } from './run.decide.js';
import { now, openingOf, sessionId, startOf } from '../testing/session.fixture.js';
import { nextToRun } from '../session/open-turns.state.js';
import { startTurn } from './start.decide.js';

const first = turnId(sessionId, 0);
const interruption = { interrupted: true, reason: 'user_direction' };
const resolved = (call: string) => ({ event_type: 'interaction.resolved', interaction_id: `iact_${call}` });
const pending = (call: string) => ({ pending: true, interaction_id: `iact_${call}` });

/**
 * What happened in one session, and what can happen next. Calls named `q...` wait for a question, `j...` are jobs,
 * others are made at once.
 */
class Story {
  readonly events: SessionEvent[] = [];
  state = sessionKind.initial();
  private nudges = 0;

  turn(id = first): OpenTurn {
    return this.state.open.get(id) as OpenTurn;
  }

  take(decide: (state: SessionState, revision: number) => SessionEvent[]): string[] {
    const events = decide(this.state, this.events.length - 1);
    for (const event of events) {
      this.state = sessionKind.evolve(this.state, structuredClone(event), this.events.length);
      this.events.push(event);
    }
    return events.map(({ type }) => type);
  }

  start(): string[] {
    return this.take((state, revision) => startTurn(startOf(), state, revision));
  }

  claim(id = first): string[] {
    return this.take((state) => claimTurn({ turnId: id, runner: 'r', now, takeover: null }, state));
  }

  /** The model's answer, with these calls. */
  answer(ids: readonly string[], id = first): string[] {
    const calls = ids.map((toolCallId, index) => ({
      tool_call_id: toolCallId,
      name: 'work',
      input: {},
      content_index: index,
      delivery_id: `dlv_${toolCallId}`,
    }));
    const content =
      ids.length === 0
        ? [{ type: 'text', text: 'done' }]
        : calls.map((call) => ({ type: 'tool_use', id: call.tool_call_id, name: 'work', input: {} }));
    return this.take((state) =>
      recordAnswer(
        {
          turnId: id,
          epoch: state.open.get(id)?.epoch ?? 0,
          now,
          content,
          usage: { calls: 1 },
          model: 'm',
          provider: 'p',
          activeMs: 1,
          calls,
          textOutput: null,
        },
        state,
      ),
    );
  }

  record(toolCallId: string, id = first): string[] {
    return this.take((state) =>
      recordOutcome({ turnId: id, epoch: state.open.get(id)?.epoch ?? 0, now, outcome: ended(toolCallId) }, state),
    );
  }

  /** What the runner does once nothing but waits and jobs of the answer is open. */
  park(id = first): string[] {
    return this.take((state) => {
      const open = state.open.get(id);
      const calls = (open?.pending ?? [])
        .filter(({ outcome }) => outcome === null)
        .map(({ call }) => call.tool_call_id);
      const waits = calls.filter((call) => call.startsWith('q')).map(waitOf);
      const jobs: JobPlan[] = calls
        .filter((call) => call.startsWith('j'))
        .map((toolCallId) => ({ toolCallId, timeoutMs: 60_000, resends: 1 }));
      return parkTurn({ turnId: id, epoch: open?.epoch ?? 0, now, waits, jobs, activeMs: 2 }, state);
    });
  }

  nudge(wake = false): string[] {
    this.nudges += 1;
    return this.take((state, revision) =>
      queueNudge(
        {
          now,
          content: `n${this.nudges}`,
          wake,
          idempotencyKey: null,
          digest: 'd',
          metadata: null,
          senderPrincipalId: 'svc_a',
          sender: { kind: 'service' },
          agent: { status: 'active', timeoutSeconds: 600 },
        },
        state,
        revision,
      ),
    );
  }

  outcome(call: string): string[] {
    const outcome: OutcomeRecord = {
      interaction_id: `iact_${call}`,
      delivery_id: `dlv_o_${call}`,
      content: [{ type: 'text', text: `answer to ${call}` }],
      metadata: { interaction_id: `iact_${call}` },
      principal_id: 'svc_a',
      principal_kind: 'service',
    };
    return this.take((state, revision) =>
      applyOutcome({ outcome, now, timeoutSeconds: 600, agentActive: true }, state, revision),
    );
  }

  jobEnds(call: string, id = first): string[] {
    return this.take((state) => finishJob({ turnId: id, outcome: ended(call), now }, state));
  }

  /** Another turn of the session, which runs while the first one waits. */
  routine(occurrence: number): string[] {
    return this.take((state, revision) =>
      startRoutineTurn(
        {
          now,
          open: openingOf(),
          isAgentActive: true,
          timeoutSeconds: 600,
          occurrenceId: `occ_${occurrence}`,
          routineName: 'r',
          instructions: [{ type: 'text', text: 'go' }],
          event: null,
          metadata: {},
          principalId: 'svc_a',
          principalKind: 'service',
          principalPermissions: ['svc.resource.use'],
        },
        state,
        revision,
      ),
    );
  }

  cancel(id = first): string[] {
    return this.take((state, revision) => cancelTurn({ turnId: id, now, reason: 'requested' }, state, revision));
  }

  fail(id = first): string[] {
    return this.take((state, revision) =>
      failTurn({ turnId: id, epoch: null, now, errorType: 'model_error', message: 'no', partial: [] }, state, revision),
    );
  }

  /** A running turn whose answer made these calls, and which then came to wait. */
  static parked(...calls: string[]): Story {
    const story = Story.asking(...calls);
    story.park();
    return story;
  }

  static asking(...calls: string[]): Story {
    const story = new Story();
    story.start();
    story.claim();
    story.answer(calls);
    return story;
  }

  /** Result of each call, in the order of the answer: the newest results row. */
  told(): Record<string, unknown> {
    const rows = this.events.flatMap((event) =>
      event.type === 'MessageAppended' ? [event.data.row.content.filter(({ type }) => type === 'tool_result')] : [],
    );
    const blocks = rows.filter((found) => found.length > 0).at(-1) ?? [];
    return Object.fromEntries(
      blocks.map(({ tool_use_id: id, content }) => [String(id), JSON.parse(String(content)) as unknown]),
    );
  }
}

function waitOf(call: string): TurnWait {
  return { kind: 'interaction', tool_call_id: call, interaction_id: `iact_${call}` };
}

function ended(toolCallId: string): ToolOutcome {
  return { tool_call_id: toolCallId, status: 'ok', content: '"done"', is_error: false };
}

describe('rule N13: a turn that would be woken does not wait', () => {
  it('one of two quick nudges wakes it; when it would wait again, the other keeps it from it', () => {
    const story = Story.parked('q1');
    expect(story.nudge()).toContain('TurnResumed');
    expect(story.nudge()).toEqual(['NudgeQueued']);
    story.claim();
    story.answer(['q2']);
    expect(story.park()).toEqual(['ToolCallFinished', 'MessageAppended', 'MessageAppended', 'NudgeDelivered']);
    expect(story.told()).toEqual({ q2: interruption });
    expect(story.turn().turn.status).toBe('running');
  });

  it('a nudge from before the question is delivered where the turn would wait', () => {
    const story = new Story();
    story.start();
    story.nudge();
    story.claim();
    story.answer(['q1']);
    expect(story.park()).toEqual(['ToolCallFinished', 'MessageAppended', 'MessageAppended', 'NudgeDelivered']);
  });

  it('a nudge that comes while a call beside the question is under way does the same', () => {
    const story = Story.asking('a', 'q1');
    story.nudge();
    expect(story.record('a')).toEqual(['ToolCallFinished']);
    expect(story.park()).toEqual(['ToolCallFinished', 'MessageAppended', 'MessageAppended', 'NudgeDelivered']);
    expect(story.told()).toEqual({ a: 'done', q1: interruption });
  });

  it('wake from before a job: the job is never begun', () => {
    const story = Story.asking('j1', 'j2');
    story.nudge(true);
    expect(story.park()).not.toContain('ToolJobStarted');
    expect(story.told()).toEqual({ j1: interruption, j2: interruption });
    expect(story.turn().turn.status).toBe('running');
  });

  it('a nudge without wake leaves a job alone, and a question beside it', () => {
    const story = Story.asking('q1', 'j1');
    story.nudge();
    expect(story.park()).toEqual(['ToolJobStarted', 'TurnParked']);
    expect(story.jobEnds('j1')).toEqual([
      'ToolCallFinished',
      'ToolCallFinished',
      'MessageAppended',
      'MessageAppended',
      'NudgeDelivered',
      'TurnResumed',
    ]);
    expect(story.told()).toEqual({ q1: pending('q1'), j1: 'done' });
  });

  it('a nudge that was cancelled keeps no turn from waiting', () => {
    const story = Story.asking('q1');
    story.nudge();
    story.take((state) => cancelNudge({ nudgeId: state.pendingNudges[0]?.id ?? '', now }, state));
    expect(story.park()).toEqual(['TurnParked']);
  });

  it('a turn that waits and is handed the nudges of one that failed goes on', () => {
    const story = Story.parked('q1');
    const second = turnId(sessionId, 1);
    story.routine(0);
    story.claim(second);
    expect(story.nudge()).toEqual(['NudgeQueued']);
    expect(story.turn().turn.status).toBe('waiting');
    expect(story.fail(second)).toEqual([
      'TurnFailed',
      'NudgeRetargeted',
      'ToolCallFinished',
      'MessageAppended',
      'MessageAppended',
      'NudgeDelivered',
      'TurnResumed',
    ]);
    expect(story.told()).toEqual({ q1: interruption });
  });
});

describe('rule T34: a turn waits on several questions and jobs of one answer', () => {
  it('shows the first question and goes on with whichever is answered first; that of the other comes as a row', () => {
    const story = Story.parked('q1', 'q2');
    expect(story.turn().turn.wait).toMatchObject({
      kind: 'interaction',
      interaction_id: 'iact_q1',
      tool_call_id: 'q1',
    });
    expect(story.outcome('q2')).toEqual([
      'OutcomeReceived',
      'ToolCallFinished',
      'ToolCallFinished',
      'MessageAppended',
      'MessageAppended',
      'OutcomeDelivered',
      'TurnResumed',
    ]);
    expect(story.told()).toEqual({ q1: pending('q1'), q2: resolved('q2') });
    expect(story.outcome('q1')).toEqual(['OutcomeReceived']);
    story.claim();
    expect(story.answer([])).toEqual(['MessageAppended', 'ModelAnswered', 'MessageAppended', 'OutcomeDelivered']);
  });

  it('a nudge interrupts the wait that it shows, and the other question stays pending', () => {
    const story = Story.parked('q1', 'q2');
    expect(story.nudge()).toContain('TurnResumed');
    expect(story.told()).toEqual({ q1: interruption, q2: pending('q2') });
  });

  it('an answer that comes before it would wait ends every wait at once', () => {
    const story = Story.asking('q1', 'q2');
    story.outcome('q2');
    expect(story.park()).toEqual([
      'ToolCallFinished',
      'ToolCallFinished',
      'MessageAppended',
      'MessageAppended',
      'OutcomeDelivered',
    ]);
    expect(story.told()).toEqual({ q1: pending('q1'), q2: resolved('q2') });
  });

  it('with a job under way it shows the first one, and goes on when all have ended', () => {
    const story = Story.parked('q1', 'j1', 'j2');
    expect(story.turn().turn.wait).toEqual({ kind: 'event', event_type: 'action.completed', tool_call_id: 'j1' });
    expect(story.jobEnds('j1')).toEqual(['ToolCallFinished', 'TurnParked']);
    expect(story.turn().turn.wait).toMatchObject({ tool_call_id: 'j2' });
    expect(story.jobEnds('j2')).toEqual(['ToolCallFinished', 'ToolCallFinished', 'MessageAppended', 'TurnResumed']);
    expect(story.told()).toEqual({ q1: pending('q1'), j1: 'done', j2: 'done' });
  });

  it('an answer resumes no turn with a job under way; its wait is resolved when the last job ends', () => {
    const story = Story.parked('j1', 'q1', 'q2');
    expect(story.outcome('q2')).toEqual(['OutcomeReceived']);
    expect(story.turn().turn.status).toBe('waiting');
    expect(story.jobEnds('j1')).toEqual([
      'ToolCallFinished',
      'ToolCallFinished',
      'ToolCallFinished',
      'MessageAppended',
      'MessageAppended',
      'OutcomeDelivered',
      'TurnResumed',
    ]);
    expect(story.told()).toEqual({ j1: 'done', q1: pending('q1'), q2: resolved('q2') });
  });

  it('a nudge with wake interrupts the jobs', () => {
    const story = Story.parked('q1', 'j1', 'j2');
    expect(story.nudge()).toEqual(['NudgeQueued']);
    expect(story.nudge(true)).toContain('TurnResumed');
    expect(story.told()).toEqual({ q1: pending('q1'), j1: interruption, j2: interruption });
    expect(story.jobEnds('j1')).toEqual([]);
  });

  it('two calls may wait for one question: both are resolved', () => {
    const story = Story.asking('q1', 'q2');
    const waits = ['q1', 'q2'].map((call) => ({ kind: 'interaction', tool_call_id: call, interaction_id: 'iact_q1' }));
    story.take((state) => parkTurn({ turnId: first, epoch: 1, now, waits, jobs: [], activeMs: 2 }, state));
    story.outcome('q1');
    expect(story.told()).toEqual({ q1: resolved('q1'), q2: resolved('q1') });
  });

  it('an outcome that another turn would take goes to the one that waits for it, whichever wait it shows', () => {
    const story = Story.parked('q1', 'q2');
    story.routine(0);
    expect(story.outcome('q2')).toContain('TurnResumed');
    expect(story.told()).toEqual({ q1: pending('q1'), q2: resolved('q2') });
  });

  it('of a turn that an earlier release parked only the shown wait is known: the other call is made again', () => {
    const story = Story.asking('q1', 'q2');
    story.take(() => [
      {
        type: 'TurnParked',
        data: { turn: { ...story.turn().turn, status: 'waiting', wait: waitOf('q1') }, epoch: 1, active_ms: 2 },
      },
    ]);
    expect(story.outcome('q1')).toEqual(['OutcomeReceived', 'ToolCallFinished', 'TurnResumed']);
    story.claim();
    expect(story.park()).toEqual(['TurnParked']);
    expect(story.turn().turn.wait).toMatchObject({ interaction_id: 'iact_q2' });
  });
});

/** Numbers below one, the same for the same seed. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const kinds = ['a', 'q', 'q', 'j', 'j'];

/** A session to which things happen in an order of chance, checked after each of them. */
class Random {
  readonly story = new Story();
  private readonly chance: () => number;
  private calls = 0;
  private routines = 0;
  private readonly asked: string[] = [];

  constructor(seed: number) {
    this.chance = chances(seed);
    this.story.start();
  }

  play(): void {
    for (let step = 0; step < 60; step += 1) this.check(this.happen(step >= 40));
    for (let step = 0; step < 200 && this.story.state.open.size > 0; step += 1) this.check(this.goOn(true));
    expect(this.story.state.open.size).toBe(0);
    expect(this.story.state.pendingNudges).toEqual([]);
    this.checkPairs();
  }

  private happen(ends: boolean): string[] {
    const { story, pick } = this;
    const { open, pendingNudges } = story.state;
    const turn = pick([...open.keys()]);
    const roll = this.chance();
    if (roll < 0.15) return story.nudge();
    if (roll < 0.25) return story.nudge(true);
    if (roll < 0.3) return story.take((state) => cancelNudge({ nudgeId: pick(pendingNudges)?.id ?? '', now }, state));
    if (roll < 0.32) return story.routine((this.routines += 1));
    if (turn && roll < 0.33) return story.cancel(turn);
    if (turn && roll < 0.35) return story.fail(turn);
    return this.goOn(ends);
  }

  /** A job ends, a question is answered, or the runner does its next step. */
  private goOn(ends: boolean): string[] {
    const { story, pick } = this;
    const { state } = story;
    const jobs = [...state.open.values()].flatMap(({ turn, pending: calls }) =>
      calls.filter(({ job, outcome }) => job && !outcome).map(({ call }) => [call.tool_call_id, turn.id] as const),
    );
    const job = pick(jobs);
    if (job && this.chance() < 0.3) return story.jobEnds(...job);
    const question = pick(this.asked);
    if (question && this.chance() < 0.3) {
      this.asked.splice(this.asked.indexOf(question), 1);
      return story.outcome(question);
    }
    const next = nextToRun(state);
    if (!next) return [];
    const {
      turn: { id, status },
      pending: calls,
    } = next;
    if (status === 'queued') return story.claim(id);
    const open = calls.filter(({ outcome }) => outcome === null).map(({ call }) => call.tool_call_id);
    const direct = open.find((call) => call.startsWith('a'));
    if (direct) return story.record(direct, id);
    if (open.length > 0) return story.park(id);
    return story.answer(ends ? [] : this.newCalls(), id);
  }

  private newCalls(): string[] {
    const calls = Array.from(
      { length: Math.floor(this.chance() * 4) },
      () => `${this.pick(kinds) ?? 'a'}${(this.calls += 1)}`,
    );
    this.asked.push(...calls.filter((call) => call.startsWith('q')));
    return calls;
  }

  private readonly pick = <V>(from: readonly V[]): V | undefined => from[Math.floor(this.chance() * from.length)];

  private check(happened: string[]): void {
    const { state } = this.story;
    expect(happened.filter((type) => type === 'NudgeDelivered').length).toBeLessThanOrEqual(1);
    for (const { turn, pending: calls } of state.open.values()) {
      const open = calls
        .filter(({ outcome }) => outcome === null)
        .map(({ call, job }) => ({ id: call.tool_call_id, job }));
      if (turn.status === 'queued') expect(open).toEqual([]);
      if (turn.status !== 'waiting') continue;
      const atWork = open.find(({ job }) => job)?.id;
      expect(turn.wait?.tool_call_id).toBe(atWork ?? open[0]?.id);
      expect(state.pendingNudges.filter((nudge) => nudge.turn.id === turn.id && (nudge.wake || !atWork))).toEqual([]);
      const answered = state.pendingOutcomes.filter(({ outcome }) =>
        open.some(({ id }) => outcome.interaction_id === `iact_${id}`),
      );
      if (!atWork) expect(answered).toEqual([]);
    }
  }

  /** Every call has at most one result, and all of an answer have theirs before the next row of the model. */
  private checkPairs(): void {
    const asked = new Map<string, unknown[]>();
    for (const event of this.story.events) {
      if (event.type !== 'MessageAppended') continue;
      const { role, content, turn_id: id } = event.data.row;
      const open = asked.get(id ?? '') ?? [];
      const results = content.flatMap(({ type, tool_use_id: call }) => (type === 'tool_result' ? [call] : []));
      if (results.length > 0 || role === 'assistant') expect(results).toEqual(open);
      if (id)
        asked.set(
          id,
          content.flatMap(({ type, id: call }) => (type === 'tool_use' ? [call] : [])),
        );
    }
  }
}

it('rules N13 and T34 hold in any order of nudges, parks, outcomes, ends of jobs, cancels and failures', () => {
  for (let seed = 1; seed <= 200; seed += 1) new Random(seed).play();
});
