import { StoppedAt } from '@aos/kernel';
import { stopOf } from './verdict.js';

const event = { stream: 'thing-1', revision: 3, position: '0007', type: 'Happened', id: 'event-3' };

describe('what stopped a consumer of the log for good', () => {
  it('is said to readiness with the position of the event that it stopped at', () => {
    expect(stopOf(new StoppedAt(event, new Error('unknown')))).toBe('stopped at position 0007');
  });

  it('is said without a position where no event stopped it', () => {
    expect(stopOf(new Error('a fault'))).toBe('stopped');
  });

  it('is nothing while it goes on', () => {
    expect(stopOf(null)).toBeNull();
  });

  it('names the event in its message, with the cause', () => {
    expect(new StoppedAt(event, new Error('unknown')).message).toBe(
      'Happened event-3 at thing-1@3, position 0007: unknown',
    );
  });
});
