import { given } from '@aos/kernel/testing';
import { orgId } from '../testing/definitions.fixture.js';
import { deleteEntry, saveEntry, type MemoryCommand } from './memory.decide.js';
import type { MemoryContent } from './memory.events.js';
import { memoryKind, type MemoryState } from './memory.state.js';
import { promoteEntry, revertPromotion } from './promotion.decide.js';

const command: MemoryCommand = {
  orgId,
  agentId: 'agent_1',
  userId: '',
  key: 'home',
  stream: 'mem_00000000000000000000000001',
  reason: 'promoted',
  actorId: 'user_ann',
  deliveryId: null,
  at: '2026-01-01T00:00:00.000Z',
};
const content = (text: string): MemoryContent => ({ content: text, kind: 'fact', importance: 50, pinned: false });
const save = (text: string) => (state: MemoryState) =>
  saveEntry({ ...command, reason: 'api', desired: { content: text } }, state);
const promote =
  (text: string, replace = false, actorId = command.actorId) =>
  (state: MemoryState) =>
    promoteEntry({ ...command, actorId, wire: content(text), replace }, state);
const revert =
  (actorId = command.actorId) =>
  (state: MemoryState) =>
    revertPromotion({ ...command, actorId }, state);

type Step = (state: MemoryState) => ReturnType<typeof saveEntry>;
const after = (...steps: Step[]) => {
  const events: ReturnType<Step> = [];
  let state = memoryKind.initial();
  for (const step of steps)
    for (const event of step(state)) {
      events.push(event);
      state = memoryKind.evolve(state, event, events.length - 1);
    }
  return given(memoryKind, ...events);
};

describe('rule TE17: promotion of a memory entry', () => {
  it('makes the shared entry, and its undoing takes it away, once', () => {
    after()
      .when(promote('of ann'))
      .thenState(({ entry }) => expect(entry).toMatchObject({ user_id: '', version: 1, wire: { content: 'of ann' } }));
    after(promote('of ann'))
      .when(revert())
      .thenState((state) => expect([state.entry, state.promotion]).toEqual([null, undefined]));
    after(promote('of ann'), revert()).when(revert()).thenRefuses('not_found');
  });

  it('takes the place of a shared entry only with `replace`, and its undoing brings that back', () => {
    after(save('before')).when(promote('of ann')).thenRefuses('already_exists');
    after(save('before'), promote('of ann', true))
      .when(revert())
      .thenState(({ entry }) => expect(entry).toMatchObject({ version: 3, wire: content('before') }));
    after(save('of ann')).when(promote('of ann', true)).thenNothing();
  });

  it('is undone by its maker alone, and not when the entry was changed or deleted since', () => {
    after(promote('of ann')).when(revert('user_bob')).thenRefuses('not_found');
    after(save('x')).when(revert()).thenRefuses('not_found');
    after(promote('of ann'), save('newer')).when(revert()).thenRefuses('conflict');
    after(promote('of ann'), (state) => deleteEntry({ ...command, reason: 'api' }, state))
      .when(revert())
      .thenRefuses('conflict');
    after(promote('of ann'), promote('of bob', true, 'user_bob'))
      .when(revert())
      .thenRefuses('not_found');
    after(promote('of ann'), promote('of bob', true, 'user_bob'))
      .when(revert('user_bob'))
      .thenState(({ entry }) => expect(entry?.wire.content).toBe('of ann'));
  });
});
