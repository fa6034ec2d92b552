import { SettingsRefused, loadSettings, publicUrlOf, publicUrlWarning } from './index.js';

const urlOf = (env: Record<string, string>) => publicUrlOf(loadSettings(env, 'embedded'));

describe('rule TE131: the origin that callers reach', () => {
  it('is as it is set, else where the service listens', () => {
    expect(urlOf({ SVC_PUBLIC_URL: 'https://agents.example.com' })).toBe('https://agents.example.com');
    expect(urlOf({})).toBe('http://127.0.0.1:8080');
    expect(urlOf({ SVC_HOST: '0.0.0.0', SVC_PORT: '9000' })).toBe('http://127.0.0.1:9000');
    expect(urlOf({ SVC_HOST: '::1', SVC_PORT: '9000' })).toBe('http://[::1]:9000');
  });

  it('is missed at the start of a service that gives callers addresses', () => {
    expect(publicUrlWarning(loadSettings({ SVC_HOST: '0.0.0.0' }, 'fleet'))).toContain('http://127.0.0.1:8080');
    expect(publicUrlWarning(loadSettings({ SVC_PUBLIC_URL: 'https://agents.example.com' }, 'fleet'))).toBeNull();
  });

  it.each([
    'ftp://example.com',
    'agents.example.com',
    'https://example.com/',
    'https://example.com/a',
    'https://u@e.com',
  ])('refuses the start with %s', (value) => {
    expect(() => loadSettings({ SVC_PUBLIC_URL: value }, 'embedded')).toThrow(SettingsRefused);
  });
});
