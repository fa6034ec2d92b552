import { expectGoldenStates, goldenEvents } from '@aos/kernel/testing';
import { expectComplete, foldGolden, goldenHistory } from '../testing/golden.fixture.js';
import { skillKind } from './skill.state.js';

const events = goldenEvents(__dirname);

describe('recorded events of skills', () => {
  it('are all kept', () => {
    expectComplete(skillKind, events);
  });

  it.each(events)('reads $file as the state it left', (event) => {
    expect(foldGolden(skillKind, event)).toEqual({ record: event.data.record });
  });

  it('fold to the states that snapshots of this version hold', () => {
    const history = goldenHistory(
      skillKind,
      events,
      'SkillCreated',
      'SkillConfigured',
      'BindingAttached',
      'ProtectionSet',
      'BindingDetached',
      'SkillDeleted',
    );
    expectGoldenStates(__dirname, skillKind, history);
  });
});
