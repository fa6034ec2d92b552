import { wantsStream } from './wants-stream.js';

describe('rule T26: an inline stream is asked for by name', () => {
  it.each(['text/event-stream', 'application/json, text/event-stream', 'TEXT/EVENT-STREAM; q=0.9, */*'])(
    '%s asks for events',
    (accept) => {
      expect(wantsStream(accept)).toBe(true);
    },
  );

  it.each([undefined, '', '*/*', 'text/*', 'application/json', 'text/event-stream+json'])('%s means JSON', (accept) => {
    expect(wantsStream(accept)).toBe(false);
  });
});
