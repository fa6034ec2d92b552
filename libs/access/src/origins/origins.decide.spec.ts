import { given } from '@aos/kernel/testing';
import { organizationKind } from '../organization/organization.state.js';
import { normalOrigin, replaceReturnOrigins } from './origins.decide.js';

const at = '2026-01-01T00:00:00.000Z';
const replace =
  (...origins: string[]) =>
  (state: Parameters<typeof replaceReturnOrigins>[1]) =>
    replaceReturnOrigins({ origins, at }, state);
const replaced = (...origins: string[]) => ({
  type: 'ReturnOriginsReplaced' as const,
  data: { origins, replaced_at: at },
});

describe('rule TE18: return origins', () => {
  it.each([
    ['https://app.example.com', 'https://app.example.com'],
    ['HTTPS://App.Example.COM', 'https://app.example.com'],
    ['https://app.example.com:443', 'https://app.example.com'],
    ['https://app.example.com:8443', 'https://app.example.com:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://[2001:DB8::1]:8443', 'https://[2001:db8::1]:8443'],
  ])('%s is %s', (text, origin) => {
    expect(normalOrigin(text)).toBe(origin);
  });

  it.each([
    '',
    'app.example.com',
    'http://app.example.com',
    'https://',
    'https://app.example.com/',
    'https://app.example.com/path',
    'https://app.example.com?x',
    'https://app.example.com#x',
    'https://user@app.example.com',
    'https://user:secret@app.example.com',
    'https://*.example.com',
    'https://app.example.com:',
    'https://app.example.com:99999',
    'https://app.example.com\\@evil.example',
    'https://app.exam\tple.com',
    ' https://app.example.com',
    'https://app.example.com ',
    'https://app%2eexample.com',
    `https://${'a'.repeat(300)}.example`,
  ])('%j is refused', (text) => {
    expect(normalOrigin(text)).toBeNull();
    given(organizationKind).when(replace('https://ok.example', text)).thenRefuses('bad_request');
  });

  it('are replaced whole, each once, and a repeat writes nothing', () => {
    given(organizationKind)
      .when(replace('https://b.example', 'https://a.example', 'https://B.example:443'))
      .thenEvents(replaced('https://b.example', 'https://a.example'));
    given(organizationKind, replaced('https://b.example')).when(replace('https://B.example')).thenNothing();
    given(organizationKind, replaced('https://b.example')).when(replace()).thenEvents(replaced());
    given(organizationKind).when(replace()).thenNothing();
  });

  it('are at most 20', () => {
    const many = Array.from({ length: 21 }, (_, index) => `https://a${index}.example`);
    given(organizationKind)
      .when(replace(...many))
      .thenRefuses('bad_request');
    given(organizationKind)
      .when(replace(...many.slice(1)))
      .thenEvents(replaced(...many.slice(1)));
  });
});
