import { writesChoices } from '@aos/kernel';
import { eventStoreUrl } from './event-store-url.js';
import {
  address,
  atLeastOne,
  cidr,
  domainName,
  hostPort,
  httpOrigin,
  listOf,
  matching,
  onOff,
  oneOf,
  origin,
  portOrOff,
  publicKeys,
  secretKeys,
  seed,
  text,
  upstreams,
  url,
  whole,
} from './parsers.js';
import { optional, withDefault } from './setting.js';

const countMax = 1_000_000;
const bootstrapKey = matching(/^[\x21-\x7e]{32,200}$/, '32 to 200 printable characters without blanks');

/**
 * Every setting of every program: the one place that parsing, `_FILE`, fault messages and the reference table come
 * from.
 * Source: architecture, Settings; rules A5, L1, L16, L19, F18.
 */
export const settingsTable = {
  port: withDefault({ name: 'SVC_PORT', meaning: 'Port of the public API.' }, whole(0, 65_535), 8080),
  host: withDefault(
    { name: 'SVC_HOST', meaning: 'Address the public API listens on; the image sets 0.0.0.0.' },
    text,
    '127.0.0.1',
  ),
  console: withDefault({ name: 'SVC_CONSOLE', meaning: 'Whether the console is served at `/console`.' }, onOff, true),
  dataDir: withDefault({ name: 'SVC_DATA_DIR', meaning: 'Folder of the embedded files.' }, text, './data'),
  bootstrapOrg: optional(
    { name: 'SVC_BOOTSTRAP_ORG', meaning: 'Name of the organization made at first start.' },
    matching(/^.{1,128}$/s, '1 to 128 characters'),
    'First organization',
  ),
  bootstrapOwnerKey: optional(
    { name: 'SVC_BOOTSTRAP_OWNER_KEY', meaning: 'Owner key of that organization.', secret: true },
    bootstrapKey,
    'made and printed once',
  ),
  masterKeys: optional(
    {
      name: 'SVC_MASTER_KEYS',
      meaning:
        '`<kid>:<base64 of 32 bytes>,...`, the first one active: ' +
        'what the four settings below do not give follows from it.',
      secret: true,
    },
    secretKeys,
    'made in SVC_DATA_DIR (fleet: none)',
  ),
  identitySeed: optional(
    {
      name: 'SVC_IDENTITY_SEED',
      meaning: 'Base64 of 32 bytes: with it a service of a fleet signs identities; each has its own.',
      secret: true,
    },
    seed,
  ),
  identityKeys: optional(
    {
      name: 'SVC_IDENTITY_KEYS',
      meaning:
        '`<service>:<base64 of its public key>,...`: whose identities are believed; `operator` is the command line.',
    },
    publicKeys,
  ),
  sealKeys: optional(
    {
      name: 'SVC_SEAL_KEYS',
      meaning: '`<kid>:<base64 of 32 bytes>,...`, the first one active: seals secrets at rest.',
      secret: true,
    },
    secretKeys,
  ),
  cursorKeys: optional(
    {
      name: 'SVC_CURSOR_KEYS',
      meaning: '`<kid>:<base64 of 32 bytes>,...`, the first one active: seals cursors and browser tokens.',
      secret: true,
    },
    secretKeys,
  ),

  eventStoreUrl: optional(
    {
      name: 'SVC_EVENTSTOREDB_URL',
      meaning:
        'EventStoreDB of the fleet, `esdb://[user:password@]host:port,...[?option=value&...]`, ' +
        'or `esdb+discover://` and one DNS name.',
      secret: true,
    },
    eventStoreUrl,
  ),
  kafkaBrokers: optional(
    { name: 'SVC_KAFKA_BROKERS', meaning: 'Kafka brokers of the fleet, `host:port,...`.' },
    atLeastOne(listOf(hostPort, 100), 'host:port,...'),
  ),
  redisUrl: optional({ name: 'SVC_REDIS_URL', meaning: 'Redis of the fleet.', secret: true }, url('redis:', 'rediss:')),
  topicPrefix: withDefault(
    { name: 'SVC_TOPIC_PREFIX', meaning: 'First part of topic names.' },
    matching(/^[A-Za-z0-9._-]{1,100}$/, '1 to 100 letters, digits, . _ -'),
    'svc',
  ),
  kafkaTls: withDefault({ name: 'SVC_KAFKA_TLS', meaning: 'TLS to Kafka.' }, onOff, false),
  kafkaSaslMechanism: optional(
    { name: 'SVC_KAFKA_SASL_MECHANISM', meaning: 'SASL mechanism of Kafka.' },
    oneOf('plain', 'scram-sha-256', 'scram-sha-512'),
  ),
  kafkaUsername: optional({ name: 'SVC_KAFKA_USERNAME', meaning: 'SASL user.' }, text),
  kafkaPassword: optional({ name: 'SVC_KAFKA_PASSWORD', meaning: 'SASL password.', secret: true }, text),
  gatewayUpstreams: withDefault(
    {
      name: 'SVC_GATEWAY_UPSTREAMS',
      meaning:
        'Service name to URL, or to a list of URLs, JSON; `dns+http://...` stands for every address of the name. Set by ' +
        'launcher and chart.',
    },
    upstreams,
    {} as Readonly<Record<string, readonly string[]>>,
  ),
  address: optional(
    {
      name: 'SVC_ADDRESS',
      meaning:
        'URL of this replica as `SVC_GATEWAY_UPSTREAMS` leads to it, or its IP address, to which `SVC_PORT` is added: ' +
        'replicas of session-service that have one share sessions out. Set by launcher and chart.',
    },
    address,
  ),
  s3Endpoint: optional(
    { name: 'SVC_S3_ENDPOINT', meaning: 'S3-compatible store for blobs; without it files under SVC_DATA_DIR.' },
    url('http:', 'https:'),
  ),
  s3Bucket: optional({ name: 'SVC_S3_BUCKET', meaning: 'Bucket for blobs.' }, text),
  s3Region: optional({ name: 'SVC_S3_REGION', meaning: 'Region of the bucket.' }, text),
  s3AccessKey: optional({ name: 'SVC_S3_ACCESS_KEY', meaning: 'Access key of the bucket.', secret: true }, text),
  s3SecretKey: optional({ name: 'SVC_S3_SECRET_KEY', meaning: 'Secret key of the bucket.', secret: true }, text),

  corsOrigins: withDefault(
    {
      name: 'SVC_CORS_ORIGINS',
      meaning: 'Origins that browsers may call from, separated by commas; browser tokens are good for no others.',
    },
    listOf(origin, 100),
    [],
  ),
  metricsPort: optional(
    { name: 'SVC_METRICS_PORT', meaning: 'Own port for `/metrics`.' },
    whole(1, 65_535),
    'the main port',
  ),
  eventsRetentionDays: withDefault(
    { name: 'SVC_EVENTS_RETENTION_DAYS', meaning: 'Days that the event feed keeps.' },
    whole(1, 36_500),
    30,
  ),
  trustedProxies: withDefault(
    { name: 'SVC_TRUSTED_PROXIES', meaning: 'CIDRs whose `X-Forwarded-For` is believed.' },
    listOf(cidr, 100),
    [],
  ),

  publicUrl: optional(
    {
      name: 'SVC_PUBLIC_URL',
      meaning:
        'Origin under which callers reach the service. Signed URLs, addresses of files and of deferred results, and the redirect address of OAuth begin with it: session-service and blueprint-service read it, and have the same. Chart, compose file and launcher set it for all.',
    },
    httpOrigin,
    'http, SVC_HOST (127.0.0.1 for 0.0.0.0) and SVC_PORT',
  ),
  artifactBytesMax: withDefault(
    { name: 'SVC_ARTIFACT_BYTES_MAX', meaning: 'Largest file that is taken, in bytes.' },
    whole(1, 16 * 1024 ** 3),
    50 * 1024 ** 2,
  ),
  artifactQuotaBytes: withDefault(
    { name: 'SVC_ARTIFACT_QUOTA_BYTES', meaning: 'Bytes of files that an organization may keep.' },
    whole(0, 512 * 1024 ** 4),
    5 * 1024 ** 3,
  ),

  modelsFile: optional({ name: 'SVC_MODELS_FILE', meaning: 'Model catalog, YAML or JSON.' }, text),
  anthropicApiKey: optional(
    { name: 'ANTHROPIC_API_KEY', meaning: 'Offers a default Anthropic catalog when no file is given.', secret: true },
    text,
  ),
  openaiApiKey: optional(
    { name: 'OPENAI_API_KEY', meaning: 'Offers a default OpenAI catalog when no file is given.', secret: true },
    text,
  ),
  scriptedModel: withDefault({ name: 'SVC_SCRIPTED_MODEL', meaning: 'Offers the model svc-scripted-1.' }, onOff, {
    embedded: true,
    fleet: false,
  }),
  egressAllow: withDefault(
    {
      name: 'SVC_EGRESS_ALLOW',
      meaning: 'Private `host:port` pairs that actions, callbacks, media, web hooks and mail may reach.',
    },
    listOf(hostPort),
    [],
  ),
  inboxDomain: withDefault(
    { name: 'SVC_INBOX_DOMAIN', meaning: 'Domain of agent inbox addresses.' },
    domainName,
    'inbox.localhost',
  ),
  smtpPort: withDefault({ name: 'SVC_SMTP_PORT', meaning: 'Port of the SMTP listener, or off.' }, portOrOff, null),

  streamRotateSeconds: withDefault(
    { name: 'SVC_STREAM_ROTATE_SECONDS', meaning: 'Age at which a stream is ended with reason rotate.' },
    whole(1, 86_400),
    900,
  ),
  streamHeartbeatSeconds: withDefault(
    { name: 'SVC_STREAM_HEARTBEAT_SECONDS', meaning: 'Time between comment lines of a stream.' },
    whole(1, 120),
    15,
  ),
  rateLimitKeyRpm: withDefault(
    { name: 'SVC_RATE_LIMIT_KEY_RPM', meaning: 'Requests a minute per key; 0 is no limit.' },
    whole(0, countMax),
    600,
  ),
  rateLimitOrgRpm: withDefault(
    { name: 'SVC_RATE_LIMIT_ORG_RPM', meaning: 'Requests a minute per organization; 0 is no limit.' },
    whole(0, countMax),
    3_000,
  ),
  streamsPerKey: withDefault(
    { name: 'SVC_STREAMS_PER_KEY', meaning: 'Open streams per key; 0 is no limit.' },
    whole(0, countMax),
    100,
  ),
  streamsPerOrg: withDefault(
    { name: 'SVC_STREAMS_PER_ORG', meaning: 'Open streams per organization; 0 is no limit.' },
    whole(0, countMax),
    500,
  ),
  streamsPerProcess: withDefault(
    { name: 'SVC_STREAMS_PER_PROCESS', meaning: 'Open streams per process; 0 is no limit.' },
    whole(0, countMax),
    5_000,
  ),
  turnMaxModelCalls: withDefault(
    { name: 'SVC_TURN_MAX_MODEL_CALLS', meaning: 'Model calls a turn may make.' },
    whole(1, countMax),
    200,
  ),
  turnMaxToolCalls: withDefault(
    { name: 'SVC_TURN_MAX_TOOL_CALLS', meaning: 'Tool calls a turn may make.' },
    whole(1, countMax),
    1_000,
  ),
  leaseSeconds: withDefault({ name: 'SVC_LEASE_SECONDS', meaning: 'Time a turn lease lives.' }, whole(1, 3_600), 15),
  workerLeaseSeconds: withDefault(
    { name: 'SVC_WORKER_LEASE_SECONDS', meaning: 'Silence after which a worker loses its job.' },
    whole(3, 3_600),
    60,
  ),
  turnConcurrency: withDefault(
    { name: 'SVC_TURN_CONCURRENCY', meaning: 'Turns a process runs at once.' },
    whole(1, 10_000),
    64,
  ),
  wireToken: withDefault(
    { name: 'SVC_WIRE_TOKEN', meaning: 'Token in signed deliveries.' },
    matching(/^[a-z][a-z0-9]{0,31}$/, '1 to 32 lower-case letters and digits, a letter first'),
    'svc',
  ),

  writes: withDefault(
    {
      name: 'SVC_WRITES',
      meaning:
        '`previous`: writes only what the release before reads, until no process of it is left (`docs/OPERATIONS.md`, ' +
        '"Versions side by side"); `current`: everything.',
    },
    oneOf(...writesChoices),
    'current' as const,
  ),
  logLevel: withDefault(
    { name: 'SVC_LOG_LEVEL', meaning: 'Least level that is logged.' },
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'info' as const,
  ),
  logPretty: optional(
    { name: 'SVC_LOG_PRETTY', meaning: 'Log lines for people instead of JSON.' },
    onOff,
    'on for a terminal',
  ),
  otlpEndpoint: optional(
    { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', meaning: 'Where traces are sent.' },
    url('http:', 'https:'),
  ),
} as const;
