import { turnDuration, waitText, whatToDo, type AnyTurn } from './turn-facts';

const turn = (more: object) => ({ created_at: '2026-01-01T00:00:00.000Z', ...more }) as AnyTurn;

describe('facts of a turn', () => {
  it('lasts to its end, and to now while it is open', () => {
    const now = Date.parse('2026-01-01T00:00:09.000Z');
    expect(turnDuration(turn({ completed_at: '2026-01-01T00:00:02.000Z' }), now)).toBe(2000);
    expect(turnDuration(turn({}), now)).toBe(9000);
  });

  it.each([
    [{ status: 'running' }, null],
    [{ status: 'waiting', wait: { kind: 'interaction', tool_call_id: 'x' } }, 'Waiting for an answer to its question'],
    [{ status: 'waiting', wait: { kind: 'event', event_type: 'a.b', tool_call_id: 'x' } }, 'Waiting for the event a.b'],
    [{ status: 'waiting', wait: { kind: 'event', tool_call_id: 'x' } }, 'Waiting for an action'],
  ])('%j: %s', (more, text) => {
    expect(waitText(turn(more))).toBe(text);
  });

  it('says what to do about each type of failure, also about one it does not know', () => {
    expect(whatToDo('timeout')).toContain('timeout_seconds');
    expect(whatToDo('of_later')).toBe(whatToDo(undefined));
  });
});
