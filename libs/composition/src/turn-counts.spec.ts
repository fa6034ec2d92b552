import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@aos/kernel';
import { CountedService } from './testing/counted-service.js';

type Table = Record<string, Record<string, Record<string, number>>>;

const file = join(__dirname, 'turn-counts.json');
const isWriting = process.env['TURN_COUNTS'] === 'write';
const bounds = JSON.parse(readFileSync(file, 'utf8')) as Table;
const rounds = 10;
const warmUp = 3;
const followedTurns = 3;
const deadlineMs = 180_000;

const tokens = 'tokens=50';
const toolCall = JSON.stringify({ script: [{ call: { name: 'svc_memory_recall', input: {} } }, { say: 'done' }] });
/** Waits until the clock moves, so that viewers can come first, and then says as much as a plain turn. */
const laterTokens = JSON.stringify({ script: [{ wait_ms: 20 }, { say: 'tok '.repeat(50) }] });
const neverEnding = JSON.stringify({ script: [{ wait_ms: 3_600_000 }] });

/** Invokes one agent of a service. */
class Caller {
  private constructor(
    readonly service: CountedService,
    private readonly agentId: string,
  ) {}

  static async on(service: CountedService): Promise<Caller> {
    const agent = await service.call('POST', '/v1/agents', {
      name: 'counted',
      visibility: 'organization',
      model: 'svc-scripted-1',
      compaction_policy: { strategy: 'disabled' },
      action_selectors: [{ selector_type: 'group', selector: 'svc.memory' }],
    });
    return new Caller(service, String(agent['id']));
  }

  invoke(said: string, session?: JsonObject): Promise<JsonObject> {
    return this.service.call('POST', '/v1/agents/invoke', this.body(said, session));
  }

  streamed(said: string): Promise<string> {
    return this.service.streamed('/v1/agents/invoke', this.body(said));
  }

  private body(said: string, session: JsonObject = { mode: 'new' }): JsonObject {
    return { agent_ref: { id: this.agentId }, session, input: { content: [{ type: 'text', text: said }] } };
  }
}

type Counts = Record<string, number>;

/** A turn that so many follow who came before it says anything. What it took until they came is not counted. */
async function followed(caller: Caller, viewers: number): Promise<Counts> {
  const { service } = caller;
  const { session_id: session } = await caller.invoke(laterTokens);
  const path = `/v1/sessions/${String(session)}/transcript/stream`;
  const leave = await Promise.all(Array.from({ length: viewers }, () => service.watch(path)));
  await service.settled({ withOpenTurns: true });
  service.taken(1);
  await service.settled();
  const counts = service.taken(1);
  await Promise.all(leave.map((left) => left()));
  return counts;
}

/** Of each kind the lowest of some turns: what a timer asks, due by chance within one of them, is not the turn's. */
async function lowest(turn: () => Promise<Counts>): Promise<Counts> {
  const all: Counts[] = [];
  for (let index = 0; index < followedTurns; index += 1) all.push(await turn());
  const kinds = new Set(all.flatMap((counts) => Object.keys(counts)));
  const low = [...kinds]
    .sort()
    .map((kind): [string, number] => [kind, Math.min(...all.map((counts) => counts[kind] ?? 0))]);
  return Object.fromEntries(low.filter(([, count]) => count > 0));
}

async function transcriptPage(caller: Caller): Promise<Counts> {
  const { service } = caller;
  const { session_id: session } = await caller.invoke(tokens);
  const page = () => service.call('GET', `/v1/sessions/${String(session)}/transcript?limit=100`);
  await service.settled();
  await page();
  return service.counted(rounds, page);
}

async function nextTranscriptPage(caller: Caller): Promise<Counts> {
  const { service } = caller;
  const { session_id: session } = await caller.invoke(tokens);
  const path = `/v1/sessions/${String(session)}/transcript?limit=1`;
  await service.settled();
  const { next_page_token: token } = await service.call('GET', path);
  return service.counted(rounds, () => service.call('GET', `${path}&page_token=${encodeURIComponent(String(token))}`));
}

const scenarios: Record<string, (caller: Caller) => Promise<Counts>> = {
  'plain turn that nobody watches': (caller) => caller.service.counted(rounds, () => caller.invoke(tokens)),
  'plain turn streamed to its caller': (caller) => caller.service.counted(rounds, () => caller.streamed(tokens)),
  'turn with one call of a tool': (caller) => caller.service.counted(rounds, () => caller.invoke(toolCall)),
  'turn that 1 follows, from the first word': (caller) => lowest(() => followed(caller, 1)),
  'turn that 100 follow, from the first word': (caller) => lowest(() => followed(caller, 100)),
  'page of a transcript': transcriptPage,
  'next page of a transcript': nextTranscriptPage,
  // the last one: it keeps the only slot
  acknowledgement: async (caller) => {
    await caller.invoke(neverEnding);
    return caller.service.counted(rounds, () => caller.invoke(tokens), { withOpenTurns: true });
  },
};

/** One line for each scenario, so that a change shows as what it is. */
function tableText(table: Table): string {
  const logs = Object.entries(table).map(([log, counts]) => {
    const lines = Object.entries(counts).map(([scenario, each]) => `    ${JSON.stringify(scenario)}: ${spaced(each)}`);
    return `  ${JSON.stringify(log)}: {\n${lines.join(',\n')}\n  }`;
  });
  return `{\n${logs.join(',\n')}\n}\n`;
}

function spaced(counts: Counts): string {
  const members = Object.entries(counts).map(([kind, count]) => `${JSON.stringify(kind)}: ${count}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

const written: Table = {};
afterAll(() => {
  if (isWriting) writeFileSync(file, tableText(written));
});

/** How a process shares the log: `alone` as embedded, `shared` as if others wrote it too, as in a fleet. */
describe.each(['alone', 'shared'])('TP29: what is asked of the ports, %s on the log', (log) => {
  let service: CountedService;
  let caller: Caller;
  beforeAll(async () => {
    service = await CountedService.start({ alone: log === 'alone', SVC_TURN_CONCURRENCY: '1' });
    caller = await Caller.on(service);
    for (let turn = 0; turn < warmUp; turn += 1) {
      await caller.streamed(tokens);
      await caller.invoke(toolCall);
      await service.settled();
    }
  }, deadlineMs);
  afterAll(() => service.stop());

  it.each(Object.keys(scenarios))(
    '%s',
    async (scenario) => {
      const counts = await scenarios[scenario]!(caller);
      (written[log] ??= {})[scenario] ??= counts;
      const allowed = bounds[log]?.[scenario] ?? {};
      // more is a failure; fewer is written into the table by TURN_COUNTS=write
      const more = Object.entries(counts).filter(([kind, count]) => count > (allowed[kind] ?? 0));
      expect(isWriting ? [] : more).toEqual([]);
    },
    deadlineMs,
  );
});
