import { isFiltered, metadataFault, sessionQuery } from './session-filters';

const now = Date.parse('2026-01-08T12:00:30.000Z');

describe('the filters of the list of sessions', () => {
  it('ask for what is set, and for nothing else', () => {
    expect(sessionQuery({}, now)).toEqual({ limit: 50 });
    expect(
      sessionQuery(
        { q: 'o-7', agent: 'agent_1', status: 'active', owner: 'user_1', metadata: 'a:b; c:d:e', since: '24h' },
        now,
      ),
    ).toEqual({
      limit: 50,
      q: 'o-7',
      agent_id: 'agent_1',
      status: 'active',
      owner_id: 'user_1',
      metadata: ['a:b', 'c:d:e'],
      since: '2026-01-07T12:00:00.000Z',
    });
  });

  it('take a time of its own, and pass over what is none', () => {
    expect(sessionQuery({ since: '2026-01-01' }, now).since).toBe('2026-01-01T00:00:00.000Z');
    expect(sessionQuery({ since: 'yesterday' }, now)).toEqual({ limit: 50 });
  });

  it('know whether any is set', () => {
    expect(isFiltered({ q: '' })).toBe(false);
    expect(isFiltered({ metadata: 'a:b' })).toBe(true);
  });

  it('say what is wrong with metadata', () => {
    expect(metadataFault('a:b')).toBeNull();
    expect(metadataFault('')).toBeNull();
    expect(metadataFault('a')).toBe('Write each as key:value.');
    expect(metadataFault('a:1;b:2;c:3;d:4;e:5')).toBe('At most 4.');
  });
});
