import { script } from './read-store-scripts.js';
import { runScript, type RedisConnection } from './redis-connection.js';

/**
 * KEYS: leases. ARGV: of each its owner and for how many milliseconds. Takes those that are free and renews the owner's
 * own: an owner also restores a lease that went missing this way. Gives of each 1, or 0 where another owner has it.
 */
const holdScript = script(`
local owners = redis.call('MGET', unpack(KEYS))
local held = {}
for i, key in ipairs(KEYS) do held[key] = owners[i] end
local answers = {}
for i, key in ipairs(KEYS) do
  local owner, ms = ARGV[2 * i - 1], ARGV[2 * i]
  if not held[key] then
    redis.call('SET', key, owner, 'PX', ms)
    held[key] = owner
  elseif held[key] == owner then
    redis.call('PEXPIRE', key, ms)
  end
  answers[i] = held[key] == owner and 1 or 0
end
return answers`);

const togetherMax = 500;
const gatherMsMax = 150;
/** Of the time that the lease is renewed for: what remains of it is far longer. */
const gatherShare = 0.01;

interface Renewal {
  key: string;
  owner: string;
  ttlMs: number;
  resolve(isHeld: boolean): void;
  reject(error: unknown): void;
}

/**
 * Renewals of a process that come within a hundredth of a lease of each other leave together, by one command, and are
 * due together from then on. On a cluster each leaves alone: its keys lie on different nodes.
 */
export class LeaseRenewals {
  private waiting: Renewal[] = [];
  private timer: NodeJS.Timeout | null = null;
  private dueAt = 0;
  /** Ends with the last command; it holds no answer, and so none of those before. */
  private sending: Promise<void> = Promise.resolve();

  constructor(private readonly connection: RedisConnection) {}

  renew(key: string, owner: string, ttlMs: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, owner, ttlMs: Math.max(1, Math.ceil(ttlMs)), resolve, reject });
      if (this.connection.isCluster || this.waiting.length >= togetherMax) this.send();
      else this.sendWithin(Math.min(gatherMsMax, ttlMs * gatherShare));
    });
  }

  /** What waits for this lease is sent now: what its owner does to it next comes after. */
  hurry(key: string): void {
    if (this.waiting.some((renewal) => renewal.key === key)) this.send();
  }

  /** Resolves when what waited is answered. */
  async close(): Promise<void> {
    this.send();
    await this.sending;
  }

  private sendWithin(ms: number): void {
    const dueAt = performance.now() + ms;
    if (this.timer && this.dueAt <= dueAt) return;
    if (this.timer) clearTimeout(this.timer);
    this.dueAt = dueAt;
    this.timer = setTimeout(() => {
      this.send();
    }, ms);
    this.timer.unref();
  }

  private send(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const renewals = this.waiting;
    this.waiting = [];
    if (renewals.length === 0) return;
    const [before, sent] = [this.sending, this.hold(renewals)];
    this.sending = sent.then(() => before);
  }

  private async hold(renewals: readonly Renewal[]): Promise<void> {
    try {
      const args = renewals.flatMap(({ owner, ttlMs }) => [owner, ttlMs]);
      const keys = renewals.map(({ key }) => key);
      const answers = (await this.connection.run((client) => runScript(client, holdScript, keys, args))) as number[];
      for (const [n, { resolve }] of renewals.entries()) resolve(answers[n] === 1);
    } catch (error) {
      for (const { reject } of renewals) reject(error);
    }
  }
}
