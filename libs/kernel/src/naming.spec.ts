import { namingIssues, requireName } from './naming.js';

describe('rule G28: names', () => {
  it.each(['planner', 'Büro 7', '李 小龍', 'مساعد', 'हिन्दी', 'mail ❤️', 'a/b c?d%25é', '"x" <y>', 'naïve'])(
    'may be %j',
    (name) => {
      expect(namingIssues(name)).toEqual([]);
    },
  );

  it.each([
    '',
    ' ',
    ' a',
    'a ',
    '\u00a0a',
    'a\u3000',
    'a\tb',
    'a\nb',
    'a\u0000',
    'a\u007f',
    'a\u0085b',
    '\u202eevil',
    'a\u2066b',
    'a\u200bb',
    'a\u200db',
    'a\u2060b',
    '\ufeffa',
    'a\u00adb',
    '\u3164',
    'a\u2028b',
    '\ud800',
    '\ue000',
    '\ufffe',
    'e\u0301',
    '\u0301',
  ])('are never %j', (name) => {
    expect(namingIssues(name, '/x')).toEqual([{ path: '/x', message: expect.any(String) as string }]);
    expect(() => {
      requireName(name);
    }).toThrow(expect.objectContaining({ code: 'bad_request' }) as Error);
  });
});
