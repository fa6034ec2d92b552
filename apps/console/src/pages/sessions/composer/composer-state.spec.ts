import { composerState, type ComposerFacts } from './composer-state';

const of = (part: Partial<ComposerFacts>) =>
  composerState({ status: 'active', openTurns: [], mayUse: true, pendingNudges: 0, ...part });

describe('the bar under a transcript', () => {
  it.each([
    ['starts a turn when none is open', {}, { send: 'turn', canWake: false, canCancel: false }],
    ['steers a turn that runs', { openTurns: ['running'] }, { send: 'nudge', canWake: false, canCancel: true }],
    ['may wake a turn that waits', { openTurns: ['waiting'] }, { send: 'nudge', canWake: true, canCancel: true }],
    [
      'holds back when the queue is full',
      { openTurns: ['running'], pendingNudges: 32 },
      { send: null, canCancel: true },
    ],
    ['sends nothing to an archived session', { status: 'archived' as const }, { send: null, canCancel: false }],
    [
      'cancels in an archived session',
      { status: 'archived' as const, openTurns: ['running'] },
      { send: null, canCancel: true },
    ],
    [
      'offers nothing to a key that may only read',
      { mayUse: false, openTurns: ['running'] },
      { send: null, canCancel: false },
    ],
  ])('%s', (_what, part, state) => {
    expect(of(part)).toMatchObject(state);
  });

  it('says why nothing can be sent, with the permission that lacks', () => {
    expect(of({ mayUse: false }).reason).toContain('svc.resource.use');
    expect(of({}).reason).toBeNull();
  });
});
