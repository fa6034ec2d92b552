import { TranscriptFold, type AgentService, type TranscriptFrame } from '@aos/client';
import { CutProxy, createAgent, eventually, script, serviceFor, unique, type Agent } from '../harness/index.js';
import { OwnService } from '../harness/embedded.js';
import { Random } from '../simulation/random.js';

const cutsWanted = Number(process.env['CUTS'] ?? 25);
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const random = new Random(seed);
jest.setTimeout(120_000 + cutsWanted * 1000);

let service: OwnService;
let proxy: CutProxy;
let direct: AgentService;
let cut: AgentService;
let agent: Agent;

beforeAll(async () => {
  service = await OwnService.start();
  const api = service.client;
  proxy = await CutProxy.before(api.baseUrl, () => 300 + random.below(4000));
  direct = serviceFor(api);
  cut = serviceFor({ baseUrl: proxy.baseUrl, key: api.key });
  agent = await createAgent(api, { name: unique('cuts') });
});

afterAll(async () => {
  console.log(`said: ${proxy?.cuts ?? 0} cuts, seed ${seed}`);
  await proxy?.close();
  await service?.remove();
});

const spoken = () => `Say: tokens=${4 + random.below(30)} every=${random.below(6)}`;

async function invoke(session: string, input: string): Promise<{ session_id: string; resume_cursor: string }> {
  return direct.agents.invoke({
    agent_ref: { id: agent.id },
    session: { session_key: session },
    input: { content: [{ type: 'text', text: input }] },
  });
}

async function framesOf(stream: AsyncIterable<TranscriptFrame>): Promise<TranscriptFrame[]> {
  const frames: TranscriptFrame[] = [];
  for await (const frame of stream) frames.push(frame);
  return frames;
}

/** What must be the same whether a stream was cut or not: text as it is written comes in other pieces. */
const durable = (frames: readonly TranscriptFrame[]) => frames.filter(({ id }) => id !== undefined);

function folded(frames: readonly TranscriptFrame[]): object {
  const fold = new TranscriptFold();
  for (const frame of frames) fold.apply(frame);
  return { messages: fold.ordered(), turns: [...fold.turns.values()], interactions: [...fold.interactions.values()] };
}

it(`follows a session over ${cutsWanted} cuts at random bytes: each durable frame once, in order`, async () => {
  const session = unique('ses');
  while (proxy.cuts < cutsWanted) {
    const { session_id, resume_cursor } = await invoke(session, spoken());
    const [uncut, over] = await Promise.all([
      framesOf(direct.sessions.follow(session_id, { after: resume_cursor })),
      framesOf(cut.sessions.follow(session_id, { after: resume_cursor })),
    ]);
    expect(durable(over)).toEqual(durable(uncut));
    expect(folded(over)).toEqual(folded(uncut));
    expect(over.at(-1)?.data).toMatchObject({ event_type: 'stream.end', reason: 'idle' });
  }
});

it('follows from the newest rows on, without a position, over cuts among its first frames', async () => {
  const { session_id, resume_cursor } = await invoke(unique('ses'), spoken());
  await framesOf(direct.sessions.follow(session_id, { after: resume_cursor }));
  for (let round = 0; round < 10; round += 1) {
    const [uncut, over] = await Promise.all([
      framesOf(direct.sessions.follow(session_id)),
      framesOf(cut.sessions.follow(session_id)),
    ]);
    expect(over).toEqual(uncut);
  }
});

it('says each word of a turn once over cuts in the middle of its answer', async () => {
  const whole = await CutProxy.before(service.client.baseUrl, () => null);
  const svc = serviceFor({ baseUrl: whole.baseUrl, key: service.client.key });
  try {
    const run = svc.invoke(agent.name, 'Say: tokens=40 every=50', { session: unique('ses') });
    let said = '';
    for await (const piece of run.text()) {
      said += piece;
      if (whole.cuts < 3 && said.split(' ').length > 8 * (whole.cuts + 1)) whole.cutAll();
    }
    expect(whole.cuts).toBe(3);
    expect(said.trim()).toBe(Array.from({ length: 40 }, (_none, index) => `tok${index}`).join(' '));
  } finally {
    await whole.close();
  }
});

it('goes on behind a position that was read while it ran', async () => {
  const { session_id, resume_cursor } = await invoke(unique('ses'), spoken());
  const whole = await framesOf(direct.sessions.follow(session_id, { after: resume_cursor }));
  const parts: TranscriptFrame[] = [];
  let after: string | null = resume_cursor;
  for (let isOver = false; !isOver;) {
    const follower: ReturnType<AgentService['sessions']['follow']> = cut.sessions.follow(session_id, {
      after: after ?? undefined,
    });
    isOver = true;
    for await (const frame of follower) {
      parts.push(frame);
      if (random.chance(0.3) && frame.data.event_type !== 'stream.end') {
        isOver = false;
        break;
      }
    }
    after = follower.cursor;
  }
  expect(folded(parts)).toEqual(folded(whole));
});

it('follows the organization’s events over cuts: each once, in order', async () => {
  const seen: string[] = [];
  const follower = cut.events.follow({ event_type: ['session.message.created'] });
  const first = follower[Symbol.asyncIterator]();
  const coming = first.next();
  await eventually('the position to begin at', async () => follower.cursor);
  const { session_id, resume_cursor } = await invoke(unique('ses'), spoken());
  await framesOf(direct.sessions.follow(session_id, { after: resume_cursor }));
  const wanted = (
    await direct.events.list({ source_id: session_id, event_type: ['session.message.created'] }).all()
  ).map(({ meta }) => String((meta as { id: string }).id));
  expect(wanted.length).toBeGreaterThanOrEqual(2);
  for (let next = await coming; ; next = await first.next()) {
    if (next.done) throw new Error('the feed ended');
    const { source_id, meta } = next.value.data as { source_id: string; meta: { id: string } };
    if (source_id === session_id) seen.push(meta.id);
    if (seen.length === wanted.length) break;
  }
  follower.close();
  expect(seen).toEqual(wanted);
});

it.each(['SIGTERM', 'SIGKILL'] as const)('follows a turn over a restart of the service after %s', async (signal) => {
  const { session_id, resume_cursor } = await invoke(
    unique('ses'),
    script({ say: 'before' }, { wait_ms: 3000 }, { say: 'after' }),
  );
  const over = framesOf(cut.sessions.follow(session_id, { after: resume_cursor }));
  const transcript = cut.sessions.transcript(session_id);
  await transcript.ready;
  await service.end(signal);
  await service.run();
  const frames = await over;
  const uncut = await framesOf(direct.sessions.follow(session_id, { after: resume_cursor }));
  expect(durable(frames)).toEqual(durable(uncut));
  await new Promise<void>((resolve) => {
    const look = () => {
      if (transcript.turns.some(({ status }) => status === 'completed')) resolve();
    };
    transcript.subscribe(look);
    look();
  });
  expect(transcript.messages.at(-1)?.content).toMatchObject([{ text: 'before' }, { text: 'after' }]);
  transcript.close();
});
