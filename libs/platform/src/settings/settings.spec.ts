import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SettingsRefused, loadSettings, settingsReference, unknownSettings } from './index.js';

const key = Buffer.alloc(32, 7).toString('base64');

function faultsOf(env: Record<string, string>, composition: 'embedded' | 'fleet' = 'embedded'): readonly string[] {
  try {
    loadSettings(env, composition);
  } catch (error) {
    if (error instanceof SettingsRefused) return error.faults;
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('stands on its defaults in embedded', () => {
    const settings = loadSettings({}, 'embedded');
    expect(settings).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      dataDir: './data',
      masterKeys: null,
      scriptedModel: true,
      rateLimitKeyRpm: 600,
      rateLimitOrgRpm: 3000,
      streamsPerKey: 100,
      streamsPerOrg: 500,
      streamsPerProcess: 5000,
      streamRotateSeconds: 900,
      streamHeartbeatSeconds: 15,
      leaseSeconds: 15,
      topicPrefix: 'svc',
      wireToken: 'svc',
      smtpPort: null,
      corsOrigins: [],
      eventsRetentionDays: 30,
      logLevel: 'info',
    });
    expect(Object.isFrozen(settings)).toBe(true);
  });

  it('reads every form', () => {
    const settings = loadSettings(
      {
        SVC_PORT: ' 9000 ',
        SVC_KAFKA_TLS: 'on',
        SVC_KAFKA_BROKERS: 'a:9092, [::1]:9093',
        SVC_MASTER_KEYS: `k2:${key},k1:${key}`,
        SVC_GATEWAY_UPSTREAMS:
          '{"session-service":"http://s:1/","stream-service":["http://a:1","http://b:1/"],"t":"dns+http://c:1/"}',
        SVC_ADDRESS: '10.0.0.7',
        SVC_TRUSTED_PROXIES: '10.0.0.0/8,::1/128',
        SVC_SMTP_PORT: '2525',
        SVC_CORS_ORIGINS: 'https://a.example,http://localhost:3000',
        SVC_EGRESS_ALLOW: '127.0.0.1:9999',
        SVC_REDIS_URL: 'redis://h:1',
        SVC_LOG_PRETTY: '',
      },
      'fleet',
    );
    expect(settings.port).toBe(9000);
    expect(settings.kafkaBrokers).toEqual([
      { host: 'a', port: 9092 },
      { host: '::1', port: 9093 },
    ]);
    expect(settings.masterKeys?.map(({ keyId }) => keyId)).toEqual(['k2', 'k1']);
    expect(settings.gatewayUpstreams).toEqual({
      'session-service': ['http://s:1'],
      'stream-service': ['http://a:1', 'http://b:1'],
      t: ['dns+http://c:1'],
    });
    expect(settings.address).toBe('10.0.0.7');
    expect(settings.scriptedModel).toBe(false);
    expect(settings.smtpPort).toBe(2525);
    expect(settings.logPretty).toBeNull();
  });

  it('lists every fault and repeats no secret', () => {
    const faults = faultsOf({
      SVC_PORT: '99999',
      SVC_KAFKA_TLS: 'yes',
      SVC_MASTER_KEYS: 'k1:tooshort-secret',
      SVC_TRUSTED_PROXIES: 'x',
      SVC_GATEWAY_UPSTREAMS: '{"s":"dns+https://s:1"}',
      SVC_ADDRESS: 'fd00::zz',
    });
    expect(faults).toHaveLength(6);
    expect(faults.join('\n')).not.toContain('tooshort-secret');
    expect(faults).toContain('SVC_KAFKA_TLS takes on or off');
  });

  it.each([
    [{ SVC_IDENTITY_SEED: 'short' }, 'SVC_IDENTITY_SEED takes base64 of 32 bytes', 'fleet' as const],
    [
      { SVC_IDENTITY_KEYS: `gateway:${key},Gateway:${key}` },
      'SVC_IDENTITY_KEYS takes <service>:<base64 of 32 bytes>,...',
      'fleet' as const,
    ],
    [{ SVC_S3_ENDPOINT: 'http://s3' }, 'SVC_S3_ENDPOINT and SVC_S3_BUCKET go together', 'embedded' as const],
    [
      { SVC_BOOTSTRAP_OWNER_KEY: 'short' },
      'SVC_BOOTSTRAP_OWNER_KEY takes 32 to 200 printable characters without blanks',
      'embedded' as const,
    ],
    [{ SVC_MASTER_KEYS: `a:${key},a:${key}` }, 'SVC_MASTER_KEYS names a key id twice', 'embedded' as const],
    [{ SVC_PORT: '1', SVC_PORT_FILE: '/x' }, 'SVC_PORT and SVC_PORT_FILE are both set', 'embedded' as const],
    [{ SVC_BOOTSTRAP_ORG: 'x'.repeat(129) }, 'SVC_BOOTSTRAP_ORG takes 1 to 128 characters', 'embedded' as const],
    [{ SVC_KAFKA_BROKERS: ',' }, 'SVC_KAFKA_BROKERS takes host:port,..., at least one', 'fleet' as const],
    [{ SVC_SMTP_PORT: 'none' }, 'SVC_SMTP_PORT takes a whole number from 1 to 65535, or off', 'embedded' as const],
    [{ SVC_ADDRESS: 'here' }, 'SVC_ADDRESS takes a URL or an IP address', 'fleet' as const],
    [{ SVC_INBOX_DOMAIN: '..' }, 'SVC_INBOX_DOMAIN takes a domain name', 'embedded' as const],
    [{ SVC_INBOX_DOMAIN: 'mail.-x.example' }, 'SVC_INBOX_DOMAIN takes a domain name', 'embedded' as const],
    [
      { SVC_WIRE_TOKEN: '1a' },
      'SVC_WIRE_TOKEN takes 1 to 32 lower-case letters and digits, a letter first',
      'embedded' as const,
    ],
    [
      { SVC_PORT: '8181', SVC_METRICS_PORT: '8181' },
      'SVC_PORT and SVC_METRICS_PORT name the same port',
      'embedded' as const,
    ],
    [{ SVC_PORT: '8181', SVC_SMTP_PORT: '8181' }, 'SVC_PORT and SVC_SMTP_PORT name the same port', 'embedded' as const],
    [
      { SVC_METRICS_PORT: '8181', SVC_SMTP_PORT: '8181' },
      'SVC_METRICS_PORT and SVC_SMTP_PORT name the same port',
      'embedded' as const,
    ],
    [
      { SVC_PORT_FILE: '/does/not/exist' },
      'SVC_PORT cannot be read from /does/not/exist (ENOENT)',
      'embedded' as const,
    ],
  ])('refuses %j', (env, fault, composition) =>
    expect(faultsOf(env as Record<string, string>, composition)).toContain(fault),
  );

  it('reads X from X_FILE', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'settings-')), 'key');
    writeFileSync(file, `${'k'.repeat(40)}\n`);
    expect(loadSettings({ SVC_BOOTSTRAP_OWNER_KEY_FILE: file }, 'embedded').bootstrapOwnerKey).toBe('k'.repeat(40));
  });

  it('tells names that are no settings, with the nearest one, and never a value', () => {
    const env = {
      SVC_PROT: 'secret',
      SVC_PORT: '1',
      SVC_MASTER_KEYS_FILE: '/x',
      SVC_RATE_LIMIT_KEYRPM: '1',
      SVC_FAILPOINT: '/x',
      SVC_URL: 'http://127.0.0.1:8080',
      SVC_KEY: 'x',
      OTHER: 'x',
      PATH: '/bin',
    };
    expect(unknownSettings(env)).toEqual([
      { name: 'SVC_PROT', nearest: 'SVC_PORT' },
      { name: 'SVC_RATE_LIMIT_KEYRPM', nearest: 'SVC_RATE_LIMIT_KEY_RPM' },
    ]);
    expect(unknownSettings({})).toEqual([]);
  });

  it('has a row in the reference for every setting', () => {
    expect(settingsReference().split('\n').length).toBeGreaterThan(45);
    expect(settingsReference()).toContain('| `SVC_SCRIPTED_MODEL` | on (fleet: off) |');
  });
});
