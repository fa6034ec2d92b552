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

  it.each([
    ['text/event-stream;q=0', false],
    ['application/json, text/event-stream; charset=utf-8; Q=0.000', false],
    ['text/event-stream;q=0, application/json', false],
    ['text/event-stream;q=0.01', true],
    ['text/event-stream;charset=utf-8, application/json;q=0', true],
  ])('%s with its quality asks for events: %s', (accept, wanted) => {
    expect(wantsStream(accept)).toBe(wanted);
  });
});
