import type { Refusal } from '@aos/kernel';
import { AgentDirectory, type AgentRecord } from '@aos/definitions/published';
import { History } from '../testing/history.fixture.js';
import { streamsWorld } from '../testing/streams.fixture.js';

const codeOf = (reading: Promise<unknown>) =>
  reading.then(
    () => 'seen',
    (error: unknown) => (error as Refusal).code,
  );

describe('ADR 37: pages of one transcript', () => {
  let isVisible: boolean;
  let reads: jest.SpyInstance;
  beforeEach(() => {
    isVisible = true;
    reads = jest
      .spyOn(AgentDirectory.prototype, 'agent')
      .mockImplementation(async () => ({ isVisible }) as unknown as AgentRecord);
    jest
      .spyOn(AgentDirectory.prototype, 'canSee')
      .mockImplementation((agent) => (agent as unknown as { isVisible: boolean }).isVisible);
  });
  afterEach(() => jest.restoreAllMocks());

  async function firstPage() {
    const world = streamsWorld();
    const history = new History();
    await world.append(...history.opened(), ...history.queued());
    await world.append(...history.claimed(), ...history.said('one'), ...history.ended());
    const page = await world.snapshot({ limit: 1 });
    return { world, history, range: { limit: 1, page_token: String(page.next_page_token) } };
  }

  test('read their agent once in a second', async () => {
    const { world, range } = await firstPage();
    for (let page = 0; page < 5; page += 1) await world.snapshot(range);
    expect(reads).toHaveBeenCalledTimes(1);
    world.clock.advance(1_000);
    await world.snapshot(range);
    expect(reads).toHaveBeenCalledTimes(2);
  });

  test('are shown for a second after the agent went out of reach, and a first page no more', async () => {
    const { world, range } = await firstPage();
    isVisible = false;
    world.clock.advance(999);
    expect(await codeOf(world.snapshot(range))).toBe('seen');
    world.clock.advance(1);
    expect(await codeOf(world.snapshot(range))).toBe('not_found');
    isVisible = true;
    await world.snapshot({ limit: 1 });
    isVisible = false;
    expect(await codeOf(world.snapshot({ limit: 1 }))).toBe('not_found');
    expect(await codeOf(world.snapshot(range))).toBe('not_found');
  });

  test('are not shown any more once the session is deleted', async () => {
    const { world, range } = await firstPage();
    await world.append({ type: 'SessionDeleted', data: { at: '2026-01-01T00:00:00.000Z' } });
    expect(await codeOf(world.snapshot(range))).toBe('not_found');
  });
});
