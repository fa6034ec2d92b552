import {
  Client,
  type Agent,
  type TurnAck,
  Transcript,
  createAgent,
  eventually,
  invoke,
  said,
  script,
  settled,
  unique,
  v2,
} from '../harness/index.js';
import { turnMs } from './conversations.js';

const turns = 6;
const viewers = 3;
const before = 'said before anyone came';
const after = ' and said after';
const restsMs = 12_000;
/** Before more is said. */
const shownMs = 8_000;

jest.setTimeout(360_000);

const api = Client.owner();
let agent: Agent;
beforeAll(async () => {
  agent = await createAgent(api, { name: unique('followed') });
});

/** Waits until the first part of the answer was said, without following the session. */
async function begun({ session_id: session, turn_id: turn }: TurnAck): Promise<void> {
  await eventually(`${turn} having said something`, async () => {
    const live = await api.get<{ frames: unknown[] }>(`/v1/sessions/${session}/turns/${turn}/live`);
    return JSON.stringify(live.frames).includes(before);
  });
}

/** Follows a session from now on; resolves when its viewer has the text that was said before, and gives the rest. */
async function joined({ session_id: session }: TurnAck) {
  const transcript = new Transcript();
  const stream = await v2(api, session);
  const shown = new Set<string>();
  let applied = 0;
  const hasShown = (text: string) => {
    for (; applied < stream.frames.length; applied += 1) {
      transcript.apply(stream.frames[applied]!);
      for (const row of transcript.messages.values()) if (row.status === 'streaming') shown.add(said(row));
    }
    return shown.has(text);
  };
  await stream.until('the text so far', () => hasShown(before), shownMs);
  return { stream, hasShown };
}

describe('TP30: turns that begin while no one follows them', () => {
  it('show all of their text to viewers who come in the middle, whichever copies run and show them', async () => {
    const slow = script({ say: before }, { wait_ms: restsMs }, { say: after }, { wait_ms: 500 }, { say: '.' });
    const started = await Promise.all(Array.from({ length: turns }, () => invoke(api, agent.id, slow)));
    await Promise.all(started.map(begun));
    const joining = started.flatMap((ack) => Array.from({ length: viewers }, () => joined(ack)));
    const followed = await Promise.all(joining);
    for (const { stream, hasShown } of followed) {
      await stream.over(turnMs);
      expect(hasShown(before + after)).toBe(true);
    }
    for (const ack of started) expect((await settled(api, ack, turnMs)).status).toBe('completed');
  });
});
