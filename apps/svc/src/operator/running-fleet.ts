import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorCommandName, type OperatorAnswer, type OperatorAsk } from '@aos/access';
import { SystemClock, SystemIds } from '@aos/adapters/system';
import { IdentityRefused, Upstreams } from '@aos/gateway';
import type { Clock, JsonObject } from '@aos/kernel';
import {
  identityHeader,
  IdentityTokens,
  KeyRing,
  SettingsRefused,
  masterKeysIn,
  operatorIdentity,
  rebuildCommands,
  type Settings,
} from '@aos/platform';

type Failure = Extract<OperatorAnswer, { ok: false }>;

/** Which services a fleet has and where; null when the environment and the data directory speak of none. */
export function fleetAddresses({
  gatewayUpstreams,
  eventStoreUrl,
  dataDir,
}: Settings): Readonly<Record<string, readonly string[]>> | null {
  if (Object.keys(gatewayUpstreams).length > 0) return gatewayUpstreams;
  const file = join(dataDir, 'fleet.json');
  if (!existsSync(file)) {
    if (eventStoreUrl !== null)
      throw new SettingsRefused(['SVC_GATEWAY_UPSTREAMS is needed: it says where the services of the fleet are']);
    return null;
  }
  const { services } = JSON.parse(readFileSync(file, 'utf8')) as { services: { name: string; url: string }[] };
  const addresses: Record<string, string[]> = {};
  for (const { name, url } of services) if (name !== 'gateway') (addresses[name] ??= []).push(url);
  return addresses;
}

/** A running fleet as its operator sees it: every ask is a command, signed as operator. */
export class RunningFleet {
  private readonly tokens: IdentityTokens;
  private readonly clock = new SystemClock();
  private readonly ids = new SystemIds();

  constructor(
    private readonly addresses: Readonly<Record<string, readonly string[]>>,
    settings: Settings,
  ) {
    this.tokens = operatorTokens(settings, this.clock);
  }

  /** Checks and rebuilds of projections go to the service that owns them, everything else to access-service. */
  async answerTo(ask: OperatorAsk): Promise<OperatorAnswer> {
    const [word, projection] = ask.words;
    if (word !== 'rebuild') return this.operatorAnswer(ask);
    return ask.options.verify === undefined ? this.rebuild(projection ?? '') : this.verifyAll();
  }

  private async operatorAnswer({ words, options }: OperatorAsk): Promise<OperatorAnswer> {
    const answer = await this.send('access-service', operatorCommandName, { words, options });
    return isFailure(answer) ? answer : (answer.result as OperatorAnswer);
  }

  /** One service after the other: each has the stores to itself. */
  private async verifyAll(): Promise<OperatorAnswer> {
    const services: Record<string, JsonObject> = {};
    for (const service of Object.keys(this.addresses)) {
      let answer: { result: JsonObject } | Failure;
      do {
        answer = await this.send(service, rebuildCommands.verify, {});
        if (isFailure(answer)) return answer;
      } while (answer.result.state === 'running');
      services[service] = answer.result;
    }
    return {
      ok: true,
      result: { matches: Object.values(services).every(({ matches }) => matches === true), services },
    };
  }

  private async rebuild(projection: string): Promise<OperatorAnswer> {
    for (const service of Object.keys(this.addresses)) {
      const answer = await this.send(service, rebuildCommands.rebuild, { projection });
      if (isFailure(answer)) return answer;
      if ((answer.result.rebuilding as string[]).length > 0) return { ok: true, result: { ...answer.result, service } };
    }
    return {
      ok: false,
      code: 'invalid_argument',
      message: `no service has a projection ${projection}`,
      details: { argument: 'projection' },
    };
  }

  /**
   * Asks the first replica, so that one that was asked before is asked after its work again; another one only when no
   * byte has left.
   */
  private async send(service: string, command: string, payload: JsonObject): Promise<{ result: JsonObject } | Failure> {
    const id = `svc-${this.ids.ulid()}`;
    const upstreams = new Upstreams(this.addresses, this.clock, { heartbeatSeconds: 15 });
    try {
      const answer = await upstreams.send(
        service,
        {
          method: 'POST',
          path: `/internal/commands/${command}`,
          body: Buffer.from(JSON.stringify({ delivery_id: id, payload })),
          isRepeatable: false,
          headers: {
            'content-type': 'application/json',
            'x-request-id': id,
            [identityHeader]: this.tokens.mint(operatorIdentity(id), service),
          },
        },
        'unary',
      );
      const body = (await answer.body.json()) as JsonObject;
      return answer.statusCode < 300 ? { result: body } : failureIn(body, answer.statusCode);
    } catch (error) {
      if (!(error instanceof IdentityRefused)) throw error;
      throw new Error(`${service} does not believe this operator's key`, { cause: error });
    } finally {
      await upstreams.close();
    }
  }
}

/**
 * Signs with the operator's own seed, that of the environment or of the launcher's data directory; in an older fleet
 * with its master keys.
 */
function operatorTokens({ identitySeed, masterKeys, dataDir }: Settings, clock: Clock): IdentityTokens {
  const [seedFile, masterFile] = [join(dataDir, 'keys', 'operator.seed'), join(dataDir, 'master-keys')];
  const seed =
    identitySeed ??
    (masterKeys === null && existsSync(seedFile) ? Buffer.from(readFileSync(seedFile, 'utf8').trim(), 'base64') : null);
  if (seed) return new IdentityTokens(new KeyRing([]), clock, { seed, believed: [] });
  if (masterKeys === null && !existsSync(masterFile)) {
    throw new SettingsRefused([
      'SVC_IDENTITY_SEED is needed, that of `operator` in SVC_IDENTITY_KEYS; ' +
        'or SVC_MASTER_KEYS where the fleet has no other keys',
    ]);
  }
  return new IdentityTokens(new KeyRing(masterKeys ?? masterKeysIn(dataDir)), clock);
}

function isFailure(answer: { result: JsonObject } | Failure): answer is Failure {
  return 'ok' in answer;
}

function failureIn({ error }: JsonObject, status: number): Failure {
  const { code, message, details } = (error ?? {}) as { code?: string; message?: string; details?: JsonObject };
  return { ok: false, code: code ?? 'internal_error', message: message ?? `status ${status}`, details: details ?? {} };
}
