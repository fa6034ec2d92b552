import fc from 'fast-check';
import { cutText } from './cut-text';
import { markdownParts } from './markdown-parts';
import { safeHref } from './safe-href';
import { visibleText } from './visible-text';

describe('text as it may be shown', () => {
  it.each([
    ['plain text, tab and break', 'a\tb\nc', 'a\tb\nc'],
    ['colours of a terminal', '\u001b[1;31mred\u001b[0m plain', 'red plain'],
    ['a title and a link of a terminal', '\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\b', 'ab'],
    ['an override of direction', 'file\u202Egnp.exe', 'file⟨U+202E⟩gnp.exe'],
    ['isolates and marks', '\u2066a\u2069\u200F\u061C', '⟨U+2066⟩a⟨U+2069⟩⟨U+200F⟩⟨U+061C⟩'],
    ['what takes no room', 'pass\u200Bword\uFEFF', 'pass⟨U+200B⟩word⟨U+FEFF⟩'],
    ['control characters', 'a\u0000b\u0008c', 'a⟨U+0000⟩b⟨U+0008⟩c'],
    ['tag characters', 'a\u{E0041}b', 'a⟨U+E0041⟩b'],
    ['line breaks of other systems', 'a\r\nb\rc', 'a\nb\nc'],
    ['joiners of scripts and emoji', '\u0646\u200C\u0647 👨\u200D👩', '\u0646\u200C\u0647 👨\u200D👩'],
    ['text from right to left', 'שלום عالم', 'שלום عالم'],
  ])('has %s', (_what, given, shown) => {
    expect(visibleText(given)).toBe(shown);
  });

  it('takes time by the length of the text alone', () => {
    const began = performance.now();
    visibleText('\u001b]'.repeat(50_000) + '\u001b['.repeat(50_000));
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describe('a text that is cut', () => {
  it('keeps all of a short one, and says how much is left of a long one', () => {
    expect(cutText('abc', 3)).toEqual({ shown: 'abc', left: 0 });
    expect(cutText('abcdef', 4)).toEqual({ shown: 'abcd', left: 2 });
    expect(cutText(`${'a'.repeat(90)}\n${'b'.repeat(90)}`, 100)).toEqual({ shown: 'a'.repeat(90), left: 91 });
  });

  it('never divides a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.integer({ min: 1, max: 40 }), (text, max) => {
        const { shown, left } = cutText(text, max);
        expect(shown.length + left).toBe(text.length);
        expect(/[\ud800-\udbff]$/.test(shown)).toBe(false);
      }),
    );
  });
});

describe('where a link may lead', () => {
  it.each([
    ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
    ['mailto:a@example.com', 'mailto:a@example.com'],
    ['javascript:alert(1)', null],
    [' JaVaScRiPt:alert(1)', null],
    ['java\nscript:alert(1)', null],
    ['data:text/html,<script>alert(1)</script>', null],
    ['vbscript:x', null],
    ['blob:https://example.com/x', null],
    ['file:///etc/passwd', null],
    ['/relative', null],
    ['//example.com', null],
    ['', null],
  ])('%s', (address, href) => {
    expect(safeHref(address)).toBe(href);
  });
});

describe('the parts of a Markdown text', () => {
  it('are what blank lines divide, but lists and fenced code whole', () => {
    const text =
      'one\ntwo\n\nthree\n\n```js\na\n\nb\n```\nfour\n\n1. x\n\n   more\n\n2. y\n\nfive\n\n\n~~~\nopen\n\nstill';
    expect(markdownParts(text)).toEqual([
      'one\ntwo',
      'three',
      '```js\na\n\nb\n```\nfour\n\n1. x\n\n   more\n\n2. y',
      'five',
      '~~~\nopen\n\nstill',
    ]);
  });

  it('stay the same but for the last one while the text grows', () => {
    const text = 'a\n\n```\nx\n\ny\n```\n\nb c d\n\n- one\n\n- two\n\nend\n\n';
    for (let length = 1; length < text.length; length += 1) {
      const before = markdownParts(text.slice(0, length));
      expect(markdownParts(text.slice(0, length + 1)).slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    }
  });
});
