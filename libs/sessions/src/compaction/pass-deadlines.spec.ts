import {
  ModelProvider,
  rfc3339,
  type Egress,
  type ModelCatalog,
  type ModelEvent,
  type ModelOption,
  type ModelRequest,
  type RecordedEvent,
} from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { DocumentTexts, serviceActor } from '@aos/platform';
import { memoryDecisions, soundBus } from '@aos/platform/testing';
import type { AgentDirectory } from '@aos/definitions/published';
import { MemoryEventStore } from '@aos/adapters/memory';
import { OrganizationPlans } from '@aos/access/published';
import { MediaSources } from '../model/media-sources.js';
import { ModelRoutes } from '../model/model-routes.js';
import { ModelWindows } from '../model/model-window.js';
import type { CompactionPass, SessionEvent } from '../session/session.events.js';
import { turnId } from '../session/session.ids.js';
import { sessionKind } from '../session/session.state.js';
import { openingOf, sessionId, startOf } from '../testing/session.fixture.js';
import { claimTurn, recordAnswer } from '../turn/run.decide.js';
import { startTurn } from '../turn/start.decide.js';
import { CompactionThresholds } from './compaction-thresholds.js';
import { runningPass } from './compaction.decide.js';
import { Compactor } from './compactor.js';
import { Summaries } from './summaries.js';

const actor = serviceActor('org_a', 'svc_a', 'request');
const option: ModelOption = {
  id: 'm',
  provider: 'p',
  label: 'M',
  contextWindowTokens: 1000,
  vision: false,
  documents: false,
  plans: null,
};

/** Writes nothing until it is told to, and does not mind that nobody waits any more. */
class SlowModel extends ModelProvider {
  override readonly catalog: ModelCatalog = {
    defaultModel: 'm',
    providers: [{ provider: 'p', displayName: 'P', source: 'p', models: [option] }],
  };
  readonly requests: ModelRequest[] = [];
  private readonly summaries: (() => void)[] = [];
  heedsTheSignal = true;

  override find(): ModelOption {
    return option;
  }

  write(): void {
    this.summaries.shift()?.();
  }

  override async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    this.requests.push(request);
    await new Promise<void>((resolve, reject) => {
      this.summaries.push(resolve);
      if (this.heedsTheSignal)
        signal.addEventListener(
          'abort',
          () => {
            reject(signal.reason as Error);
          },
          { once: true },
        );
    });
    yield { type: 'text_delta', index: 0, text: 'A summary.' };
    const usage = {
      input_tokens: 1,
      output_tokens: 1,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      reasoning_tokens: 0,
    };
    yield { type: 'done', stop: 'end', usage, model: 'm', provider: 'p' };
  }
}

/** A session with three completed turns, and what compacts it. */
async function world() {
  const clock = new ManualClock();
  const store = new MemoryEventStore({ clock });
  const bus = soundBus(clock);
  const decisions = memoryDecisions({ store, clock, bus });
  const model = new SlowModel();
  const plans = new OrganizationPlans(decisions, clock);
  const agents = { agent: async () => null } as unknown as AgentDirectory;
  const thresholds = new CompactionThresholds(new ModelRoutes(model, null, plans), agents);
  const windows = new ModelWindows(decisions);
  const media = new MediaSources({} as Egress, clock, decisions, new DocumentTexts(clock));
  const summaries = new Summaries(decisions, model, windows, media, plans, clock);
  const compactor = new Compactor(decisions, model, windows, thresholds, bus, clock, summaries);
  const now = rfc3339(clock.now());
  const open = openingOf({ created_at: now });
  for (let ordinal = 0; ordinal < 3; ordinal += 1) {
    const id = turnId(sessionId, ordinal);
    const run = (decide: Parameters<typeof decisions.run<Parameters<typeof claimTurn>[1], SessionEvent>>[3]) =>
      decisions.run(sessionKind, sessionId, actor, decide);
    await run((session, revision) =>
      startTurn(startOf({ now, open, content: [{ type: 'text', text: `input ${ordinal}` }] }), session, revision),
    );
    await run((session) => claimTurn({ turnId: id, runner: 'r', now, takeover: null }, session));
    await run((session) =>
      recordAnswer(
        {
          turnId: id,
          epoch: 1,
          now,
          content: [{ type: 'text', text: `answer ${ordinal}` }],
          usage: { calls: 1 },
          model: 'm',
          provider: 'p',
          activeMs: 1,
          calls: [],
          textOutput: null,
        },
        session,
      ),
    );
  }
  const start = (trigger: CompactionPass['trigger']) =>
    compactor.start({
      orgId: 'org_a',
      sessionId,
      trigger,
      claim: null,
      act: actor,
      excess: trigger === 'manual' ? null : { estimatedTokens: 1, thresholdTokens: 1 },
    });
  const state = async () => (await decisions.load(sessionKind, sessionId)).state;
  const log = (): Promise<RecordedEvent[]> => store.read(`session-${sessionId}`, { from: 0, limit: 1000 });
  const asked = async (count: number) => {
    while (model.requests.length < count) await Promise.resolve();
  };
  return { clock, model, start, state, log, asked };
}

const typesAfter = async (log: () => Promise<RecordedEvent[]>, from: number) =>
  (await log()).slice(from).map(({ type }) => type);

describe.each([
  ['auto', 30_000],
  ['manual', 120_000],
] as const)('a pass that was started by %s', (trigger, givesUpAfterMs) => {
  it(`gives up after ${givesUpAfterMs} ms and leaves all as it was; the next one has the same boundary`, async () => {
    const { clock, model, start, state, log, asked } = await world();
    const before = (await log()).length;
    const { ended, state: started } = await start(trigger);
    expect(Date.parse(started.pass?.deadline ?? '') - clock.now()).toBe(givesUpAfterMs);
    await asked(1);
    clock.advance(givesUpAfterMs - 1);
    expect(runningPass(await state(), clock.now())).not.toBeNull();
    expect(await typesAfter(log, before)).toEqual(['CompactionStarted']);
    clock.advance(1);
    await ended;
    expect(await typesAfter(log, before)).toEqual(['CompactionStarted', 'CompactionFailed']);
    expect((await log()).at(-1)?.data).toMatchObject({ error_type: 'timeout' });
    expect(await state()).toMatchObject({ pass: null, summary: null, sequence: 6 });
    const again = await start(trigger);
    expect(again.state.pass).toMatchObject({ from_sequence: 1, through_sequence: 4 });
    await asked(2);
    model.write();
    model.write();
    await again.ended;
    expect((await state()).summary).toMatchObject({ covers_through_sequence: 4 });
  });

  it('drops a summary that comes after the deadline; the marker is gone by then, and the next pass has the same boundary', async () => {
    const { clock, model, start, state, log, asked } = await world();
    model.heedsTheSignal = false;
    const before = (await log()).length;
    const { ended } = await start(trigger);
    await asked(1);
    clock.advance(givesUpAfterMs);
    expect(runningPass(await state(), clock.now())).toBeNull();
    const again = await start(trigger);
    expect(again.state.pass).toMatchObject({ from_sequence: 1, through_sequence: 4 });
    model.write();
    await ended;
    expect(await state()).toMatchObject({ summary: null, sequence: 6 });
    await asked(2);
    model.write();
    await again.ended;
    expect(await typesAfter(log, before)).toEqual(['CompactionStarted', 'CompactionStarted', 'TranscriptSummarised']);
  });
});
