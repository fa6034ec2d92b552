import { actionsOf, wantedBy } from './dispositions.decide.js';

const ann = { kind: 'person' as const, id: 'user_ann' };
const team = { kind: 'team' as const, id: null };

describe('rule TE11: what may become of a resource', () => {
  it('depends on its type, and on whether a person answers for it', () => {
    expect(actionsOf('skill', ann)).toEqual(['revoke', 'make_private', 'keep_and_widen']);
    expect(actionsOf('skill', team)).toEqual(['revoke', 'keep_and_widen']);
    expect(actionsOf('artifact', null)).toEqual(['revoke', 'make_private', 'keep_and_widen']);
    for (const type of ['session', 'table'] as const) {
      expect(actionsOf(type, ann)).toEqual(['make_private', 'keep_and_widen']);
      expect(actionsOf(type, team)).toEqual(['keep_and_widen']);
    }
  });

  it('is a change of custody', () => {
    expect(wantedBy('make_private')).toEqual({ visibility: 'private', confirmed: true });
    expect(wantedBy('keep_and_widen')).toEqual({ visibility: 'organization', confirmed: true });
    expect(wantedBy('revoke')).toEqual({ detach: true, confirmed: true });
  });
});
