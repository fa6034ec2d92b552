import { Cluster, Redis, type ClusterOptions, type RedisOptions } from 'ioredis';
import { StoreRefused, StoreUnavailable } from '@aos/kernel';

export interface RedisSettings {
  /** `redis://` or `rediss://`; several, separated by commas, are seeds of a cluster. */
  url: string;
  /** First part of every key and channel; default `svc`. */
  prefix?: string;
  /** How long a command may wait for its answer; default 1000. A command may wait as long again for the connection. */
  commandTimeoutMs?: number;
  /** Hears of connections that broke and of handlers that threw. */
  log?: (message: string, error?: unknown) => void;
}

export type RedisClient = Redis | Cluster;

const commandTimeoutMs = 1_000;
const reconnectMaxMs = 500;
const waitersMax = 10_000;
/** Answers of a server that cannot serve now; every other error answer is a fault of ours and passes through. */
const unavailableAnswers = new RegExp(
  '^(LOADING|READONLY|OOM|MISCONF|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|NOREPLICAS|BUSY|UNKILLABLE|' +
    'NOAUTH|WRONGPASS|NOPERM|MOVED|ASK)\\b',
);

/** Answers to a wrong user, password or right. */
const refusedAnswers = /^(NOAUTH|WRONGPASS|NOPERM)\b/;

/** Options that every connection shares: no command is kept for later or sent twice; reconnects go on for ever. */
function commonOptions(timeoutMs: number): RedisOptions {
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: null,
    connectTimeout: 2 * timeoutMs,
    commandTimeout: timeoutMs,
    socketTimeout: 3 * timeoutMs,
    retryStrategy: (times) => Math.min(20 * times, reconnectMaxMs) + Math.floor(Math.random() * 20),
    reconnectOnError: (error) => /^READONLY\b/.test(error.message),
  };
}

/** Opens a client that connects by itself. The caller listens to its events; its errors end in `log`. */
export function openClient(settings: RedisSettings, role: string): RedisClient {
  const common = {
    ...commonOptions(settings.commandTimeoutMs ?? commandTimeoutMs),
    connectionName: `${settings.prefix ?? 'svc'}-${role}`,
  };
  const urls = settings.url
    .split(',')
    .map((url) => url.trim())
    .filter(Boolean);
  const first = urls[0];
  if (!first) throw new Error('no Redis URL');
  const client = urls.length === 1 ? new Redis(first, common) : new Cluster(urls, clusterOptions(first, common, role));
  if (client instanceof Redis) sendTogether(client);
  else client.on('+node', sendTogether);
  client.setMaxListeners(0); // each call that waits for the connection listens
  let told = '';
  client.on('error', (error: Error) => {
    if (error.message === told) return; // the same fault at every reconnect is one message
    told = error.message;
    settings.log?.(`redis ${role}: ${error.message}`, error);
  });
  client.on('ready', () => {
    told = '';
  });
  client.connect().catch((error: unknown) => {
    settings.log?.(`redis ${role}: first connection failed`, error);
  });
  return client;
}

/**
 * Commands of one turn of the loop leave by one write: on a busy process the call into the system costs more than the
 * command. Nothing else about them changes: each is sent, answered and refused by itself.
 */
function sendTogether(client: Redis): void {
  const sendCommand = client.sendCommand.bind(client);
  let corked: Redis['stream'] | null = null;
  client.sendCommand = (command, stream) => {
    if (stream === undefined && client.status === 'ready' && corked !== client.stream) {
      const own = client.stream;
      corked = own;
      own.cork();
      setImmediate(() => {
        if (corked === own) corked = null;
        own.uncork();
      });
    }
    return sendCommand(command, stream);
  };
}

function clusterOptions(url: string, common: RedisOptions, role: string): ClusterOptions {
  const { protocol, username, password } = new URL(url);
  const tls = protocol === 'rediss:' ? { tls: {} } : {};
  const { retryStrategy, lazyConnect, enableOfflineQueue, ...redisOptions } = common;
  return {
    lazyConnect,
    enableOfflineQueue,
    shardedSubscribers: role === 'bus-in',
    clusterRetryStrategy: (times) => retryStrategy?.(times) ?? reconnectMaxMs,
    redisOptions: {
      ...redisOptions,
      ...tls,
      ...(username ? { username } : {}),
      ...(password ? { password: decodeURIComponent(password) } : {}),
    },
  };
}

/**
 * The connection that read store, snapshots and leases share.
 *
 * Promises: a call is answered or rejects with `StoreUnavailable` within twice the command timeout; a command that was
 * sent and not answered is never sent again; after an outage it heals by itself. While `incarnation` is the same no
 * server has ended: what one acknowledged is there.
 */
export class RedisConnection {
  readonly prefix: string;
  private readonly client: RedisClient;
  private readonly waitMs: number;
  private downSince = performance.now();
  private waiters = 0;
  private breaks = 0;
  private users = 0;
  /** Why there is no connection, as far as it is known. */
  private fault = '';

  constructor(
    private readonly settings: RedisSettings,
    role = 'store',
  ) {
    this.prefix = settings.prefix ?? 'svc';
    this.waitMs = settings.commandTimeoutMs ?? commandTimeoutMs;
    this.client = openClient(settings, role);
    this.client.on('close', () => {
      if (this.downSince === 0) this.downSince = performance.now();
    });
    for (const broken of ['close', '-node'])
      this.client.on(broken, () => {
        this.breaks += 1;
      });
    this.client.on('ready', () => {
      this.downSince = 0;
      this.fault = '';
    });
    this.client.on('error', (error: Error & { lastNodeError?: Error }) => {
      this.fault = error.lastNodeError?.message ?? error.message;
    });
  }

  /** Each adapter on this connection calls it once; the last `release` closes the connection. */
  share(): this {
    this.users += 1;
    return this;
  }

  async release(): Promise<void> {
    this.users -= 1;
    if (this.users <= 0) this.client.disconnect();
  }

  get isCluster(): boolean {
    return this.client.isCluster;
  }

  /** Whether commands would be sent now. */
  get healthy(): boolean {
    return this.client.status === 'ready';
  }

  /**
   * Another number after each break of the connection, of a cluster to any of its nodes: a server that ends breaks it.
   */
  get incarnation(): number {
    return this.breaks;
  }

  /** For a start: resolves when Redis answers. Rejects with `StoreUnavailable` or `StoreRefused`. */
  async check(): Promise<void> {
    try {
      await this.run((client) => client.ping());
    } catch (error) {
      const reason =
        error instanceof StoreUnavailable && error.cause instanceof Error ? error.cause.message : this.fault;
      const [word] = refusedAnswers.exec(reason) ?? [];
      throw word === undefined ? error : new StoreRefused(`user or password is not let in (${word})`, { cause: error });
    }
  }

  /** Called when the connection breaks (false) and when it is there (true). */
  onHealth(listener: (healthy: boolean) => void): void {
    this.client.on('close', () => {
      listener(false);
    });
    this.client.on('ready', () => {
      listener(true);
    });
  }

  /** Says what no caller is there to hear. */
  report(message: string, error: unknown): void {
    this.settings.log?.(message, error);
  }

  /** Drops the connection and makes a new one. */
  reconnect(): void {
    this.client.disconnect(true);
  }

  /** `incarnation`: the action is only right under this one, and refused as `StoreUnavailable` under another. */
  async run<T>(action: (client: RedisClient) => Promise<T>, incarnation?: number): Promise<T> {
    if (!this.healthy) await this.untilReady();
    if (incarnation !== undefined && incarnation !== this.incarnation)
      throw new StoreUnavailable('Redis: the connection broke meanwhile');
    try {
      return await action(this.client);
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  private untilReady(): Promise<void> {
    const downMs = performance.now() - this.downSince;
    const patienceMs = this.waitMs - (this.downSince === 0 ? 0 : downMs);
    if (patienceMs <= 0 || this.waiters >= waitersMax) return Promise.reject(new StoreUnavailable('Redis is down'));
    this.waiters += 1;
    return new Promise((resolve, reject) => {
      const settle = (failed: boolean) => {
        clearTimeout(timer);
        this.client.removeListener('ready', ready);
        this.waiters -= 1;
        if (failed) reject(new StoreUnavailable('Redis is down'));
        else resolve();
      };
      const ready = () => {
        settle(false);
      };
      const timer = setTimeout(() => {
        settle(true);
      }, patienceMs);
      this.client.on('ready', ready);
    });
  }
}

/** Faults of the server or the connection as `StoreUnavailable`; anything else as it is. */
function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreUnavailable) return error;
  if (error.name === 'ReplyError' && !unavailableAnswers.test(error.message)) return error;
  if (error.name === 'TypeError' || error.name === 'RangeError' || error.name === 'SyntaxError') return error;
  return new StoreUnavailable(`Redis: ${error.message}`, { cause: error });
}

/** Runs a script by its digest, or by its text where the server does not know it yet (after a restart or a flush). */
export async function runScript(
  client: RedisClient,
  script: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await client.evalsha(script.sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return client.eval(script.text, keys.length, ...keys, ...args);
  }
}

export interface Script {
  text: string;
  sha: string;
}
