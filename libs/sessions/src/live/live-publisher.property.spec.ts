import fc from 'fast-check';
import { LiveBus, type BusSubscription, type Json, type ModelEvent } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { Audience } from './audience.js';
import { joinedBytesMax } from './joined-delta.js';
import { LivePublisher } from './live-publisher.js';
import type { LivePreview, LiveSignal } from './live.signals.js';
import { SessionWatches } from './session-watches.js';

/** Keeps what is published, with the turn of the loop in which it left. */
class RecordingBus extends LiveBus {
  override readonly healthy = true;
  turn = 0;
  readonly signals: (LiveSignal & { leftIn: number })[] = [];
  readonly previews: LivePreview[] = [];
  /** Both, as they came. */
  readonly order: string[] = [];

  override publish(_channel: string, message: Json): void {
    const signal = message as unknown as LiveSignal;
    this.order.push(signal.type === 'delta' ? `delta at ${signal.offset}` : signal.type);
    this.signals.push({ ...signal, leftIn: this.turn });
  }
  override async deliver(channel: string, message: Json): Promise<void> {
    this.publish(channel, message);
  }
  override subscribe(): BusSubscription {
    return { ready: Promise.resolve(), close: () => undefined };
  }
  override async setPreview(_key: string, _field: string, value: string): Promise<void> {
    this.order.push(`preview ${this.previews.length}`);
    this.previews.push(JSON.parse(value) as LivePreview);
  }
  override async preview(): Promise<Map<string, string>> {
    return new Map();
  }
  override async dropPreview(): Promise<void> {}
  override onHealth(): void {}
  override async close(): Promise<void> {}

  /** Lets everything run that came in this turn of the loop. */
  async nextTurn(): Promise<void> {
    await new Promise(setImmediate);
    this.turn += 1;
  }
}

type Kind = 'text' | 'thinking';
type Pause = 'none' | 'promise' | 'turn' | '200 ms';
type Step = { pause: Pause } & (
  { what: 'token'; text: string } | { what: 'block'; kind: Kind; closes: boolean } | { what: 'tool result' | 'again' }
);

const signalsOf = <T extends LiveSignal['type']>(bus: RecordingBus, type: T) =>
  bus.signals.filter((signal): signal is Extract<LiveSignal, { type: T }> & { leftIn: number } => signal.type === type);

/** Deltas but those that only say how long the text is. */
const grownBy = (bus: RecordingBus) =>
  signalsOf(bus, 'delta').filter(({ text, thinking }) => (text ?? thinking) !== '');

/** Plays an answer, and gives what was said: which token came in which turn of the loop, and what else was shown. */
async function play(steps: readonly Step[]) {
  const bus = new RecordingBus();
  const clock = new ManualClock();
  const troubles: unknown[] = [];
  const watches = new SessionWatches(bus, clock);
  watches.expect('ses_1');
  const onTrouble = (error: unknown) => troubles.push(error);
  const audience = new Audience(watches, 'ses_1', clock, onTrouble);
  const live = new LivePublisher(bus, clock, 'ses_1', 'turn_1', audience, onTrouble);
  audience.begin({ ready: Promise.resolve() });
  const said: { index: number; text: string; turn: number }[] = [];
  const texts: string[] = [];
  let kind: Kind = 'text';
  const open = (opened: Kind) => {
    kind = opened;
    texts.push('');
    live.show({ type: 'block_start', index: texts.length - 1, block: { type: kind } });
  };
  const close = () => {
    const [index, text] = [texts.length - 1, texts.at(-1) ?? ''];
    const block = kind === 'text' ? { type: kind, text } : { type: kind, thinking: text };
    live.show({ type: 'block_stop', index, block });
  };
  const start = () => {
    live.startRow('row_1', 0, 'm');
    said.length = 0;
    texts.length = 0;
    bus.signals.length = 0;
    open('text');
  };
  start();
  for (const step of steps) {
    if (step.what === 'token') {
      const index = texts.length - 1;
      said.push({ index, text: step.text, turn: bus.turn });
      texts[index] += step.text;
      const event: ModelEvent =
        kind === 'text'
          ? { type: 'text_delta', index, text: step.text }
          : { type: 'thinking_delta', index, thinking: step.text };
      live.show(event);
    } else if (step.what === 'block') {
      if (step.closes) close();
      open(step.kind);
    } else if (step.what === 'again') {
      live.discardRow();
      start();
    } else {
      const call = { message_id: 'row_1', content_index: 0, tool_call_id: 'c', tool_name: 't' };
      live.signal({ type: 'tool_result', ...call, content: [], is_error: false, status: 'ok' });
    }
    if (step.pause === 'promise') await Promise.resolve();
    if (step.pause === '200 ms') clock.advance(200);
    if (step.pause === 'turn') await bus.nextTurn();
  }
  close();
  live.endRow();
  audience.close();
  const shown = bus.signals.length;
  await bus.nextTurn();
  expect(bus.signals).toHaveLength(shown);
  expect(troubles).toEqual([]);
  return { bus, said, texts };
}

const pause = fc.constantFrom<Pause>('none', 'none', 'promise', 'turn', '200 ms');
const token = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.integer({ min: 4000, max: 20_000 }).map((length) => 'ä'.repeat(length)) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ what: fc.constant('token' as const), text: token, pause }) },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('block' as const),
      kind: fc.constantFrom<Kind>('text', 'thinking'),
      closes: fc.boolean(),
      pause,
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('tool result' as const, 'again' as const), pause }) },
);

describe('live text', () => {
  test('TP12: is joined within one block and one turn of the loop only, without a gap, before the next signal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { bus, said, texts } = await play(steps);
        const grown = texts.map(() => '');
        const left = [...said];
        let sequence = -1;
        for (const delta of grownBy(bus)) {
          const text = delta.text ?? delta.thinking ?? '';
          expect(delta.offset).toBe(grown[delta.content_index]?.length);
          grown[delta.content_index] += text;
          const tokens: typeof said = [];
          for (let length = 0; length < text.length && left.length > 0; length += tokens.at(-1)?.text.length ?? 0)
            tokens.push(left.shift() as (typeof said)[0]);
          expect(tokens.map((one) => one.text).join('')).toBe(text);
          expect(new Set(tokens.map(({ index }) => index))).toEqual(new Set([delta.content_index]));
          expect(new Set(tokens.map(({ turn }) => turn))).toEqual(new Set([delta.leftIn]));
          expect(tokens.length === 1 || Buffer.byteLength(text) <= joinedBytesMax).toBe(true);
          expect(sequence === -1 || delta.delta_sequence === sequence + 1).toBe(true);
          sequence = delta.delta_sequence;
        }
        expect(grown).toEqual(texts);
        expect(left).toEqual([]);
        const order = bus.signals.map(({ live_sequence }) => live_sequence);
        expect(order).toEqual([...order].sort((one, other) => one - other));
        expect(new Set(order).size).toBe(order.length);
      }),
      { numRuns: 300 },
    );
  });

  test('TP12: of a block is told before what closes it and before what a tool says', async () => {
    const { bus } = await play([
      { what: 'token', text: 'a', pause: 'none' },
      { what: 'token', text: 'b', pause: 'promise' },
      { what: 'tool result', pause: 'none' },
      { what: 'token', text: 'c', pause: 'none' },
      { what: 'block', kind: 'thinking', closes: true, pause: 'none' },
      { what: 'token', text: 'd', pause: 'none' },
    ]);
    expect(
      bus.signals.map((one) => [one.type, 'text' in one ? one.text : 'thinking' in one ? one.thinking : '']),
    ).toEqual([
      ['block_opened', ''],
      ['delta', 'ab'],
      ['tool_result', ''],
      ['delta', 'c'],
      ['block_closed', ''],
      ['block_opened', ''],
      ['delta', 'd'],
      ['block_closed', ''],
    ]);
  });

  test('TP12: that comes token by token, 20 ms apart, leaves token by token', async () => {
    const tokens = Array.from({ length: 50 }, (_, index) => `tok${index} `);
    const { bus, said } = await play(tokens.map((text) => ({ what: 'token', text, pause: 'turn' })));
    expect(signalsOf(bus, 'delta').map(({ text, leftIn }) => [text, leftIn])).toEqual(
      said.map(({ text, turn }) => [text, turn]),
    );
  });

  test('TP12: a preview holds exactly the text of the signals up to its own sequence', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { bus } = await play(steps.filter(({ what }) => what !== 'again'));
        for (const preview of bus.previews) {
          const grown = new Map<number, string>();
          for (const delta of signalsOf(bus, 'delta'))
            if (delta.live_sequence <= preview.last_live_sequence)
              grown.set(delta.content_index, (grown.get(delta.content_index) ?? '') + (delta.text ?? delta.thinking));
          for (const [index, text] of grown)
            expect(preview.content[index]?.text ?? preview.content[index]?.thinking).toBe(text);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('TP30: that a viewer missed, who read a preview from before it, is said to be there once the preview has it', async () => {
    const { bus } = await play([
      { what: 'token', text: 'so ', pause: 'turn' },
      { what: 'token', text: 'far', pause: 'turn' },
      { what: 'token', text: '', pause: '200 ms' },
    ]);
    const late = bus.previews.findIndex(({ content: [block] }) => block?.text === 'so far');
    expect(bus.previews.slice(0, late).map(({ content }) => content[0]?.text)).toEqual(['so ']);
    expect(bus.order.slice(bus.order.indexOf(`preview ${late}`) + 1)[0]).toBe('delta at 6');
  });
});
