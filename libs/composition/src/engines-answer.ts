import { StoreRefused } from '@aos/kernel';
import { SettingsRefused, type Core } from '@aos/platform';

/** Something outside that a service cannot start without. */
export interface NeededEngine {
  /** As `/readyz` calls it. */
  readonly name: string;
  /** The setting that says where it is. */
  readonly setting: string;
  /**
   * Resolves when it answers (a text says what is wrong); rejects with `StoreRefused` when no waiting helps, with
   * anything else when it may.
   */
  check(): Promise<unknown>;
}

const pauseMs = 500;
const lineEveryMs = 60_000;

/**
 * Waits, without an end, until every engine answered once: they and the services may come up in any order.
 *
 * Gives    one log line a minute that names what is waited for.
 * Refuses  `SettingsRefused` as soon as an engine answers that account, password or rights are wrong.
 */
export async function enginesAnswer(
  { log, clock }: Pick<Core, 'log' | 'clock'>,
  engines: readonly NeededEngine[],
): Promise<void> {
  const missing = new Map<string, string>();
  const settled = new AbortController();
  let saidAt = Number.NEGATIVE_INFINITY;
  const say = () => {
    if (missing.size === 0 || clock.monotonic() - saidAt < lineEveryMs) return;
    saidAt = clock.monotonic();
    log.warn(`waiting for ${[...missing.keys()].join(', ')}`, {
      reason: [...missing].map(([name, fault]) => `${name}: ${fault}`).join('; '),
    });
  };
  const answered = async ({ name, setting, check }: NeededEngine) => {
    while (!settled.signal.aborted) {
      const fault = await faultOf(check, setting);
      if (fault === null) {
        missing.delete(name);
        return;
      }
      missing.set(name, fault);
      say();
      await clock.sleep(pauseMs);
    }
  };
  try {
    await Promise.all(engines.map(answered));
    if (saidAt !== Number.NEGATIVE_INFINITY) log.info('every engine answers');
  } finally {
    settled.abort();
  }
}

async function faultOf(check: () => Promise<unknown>, setting: string): Promise<string | null> {
  try {
    const said = await check();
    return typeof said === 'string' ? said : null;
  } catch (error) {
    if (error instanceof StoreRefused) throw new SettingsRefused([`${setting}: ${error.message}`]);
    return reasonOf(error);
  }
}

/** The message with that of its first cause, which names address and trouble. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
