import Ajv2020 from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import { Refusal, badRequest, type Identity, type JsonObject } from '@aos/kernel';
import { issuesOf } from '../http/contract/issues.js';
import { requireOperator } from '../http/server/operator-identity.js';
import type { CallerCommand } from './caller-command.js';

export type RoutedClass = new (
  who: Identity,
  input: never,
  deliveryId: string | null,
) => CallerCommand<unknown, unknown>;

/** Owner of a command: the service that writes a stream, or a service by name (`every`: each of them for itself). */
export type CommandOwner = { stream: string } | { service: string };

/** `callers`: who may send it. `system` is the service itself, `operator` who operates the installation. */
export type RoutedOptions = CommandOwner & { input: JsonObject; callers?: 'system' | 'operator' };

const nameForm = /^[a-z][a-z_]*\.[a-z][a-z_]*$/;
const ajv = new Ajv2020({ strict: false });
const byName = new Map<string, RoutedCommand>();
const byClass = new Map<unknown, RoutedCommand>();

/** A command that another context may send: what its decorator says. */
export class RoutedCommand {
  private validate: ValidateFunction | null = null;

  constructor(
    readonly name: string,
    readonly type: RoutedClass,
    private readonly options: RoutedOptions,
  ) {}

  get owner(): CommandOwner {
    return this.options;
  }

  /** Refuses `bad_request` for an input that the declared schema does not allow. */
  checkInput(input: unknown): void {
    this.validate ??= ajv.compile(this.options.input);
    if (!this.validate(input)) throw badRequest(issuesOf(this.validate.errors ?? []));
  }

  /** Refuses `forbidden` for a caller that is not the service, `not_found` for one that is not the operator. */
  checkCaller(who: Identity): void {
    if (this.options.callers === 'operator') requireOperator(who);
    if (this.options.callers === 'system' && who.kind !== 'system') throw new Refusal('forbidden');
  }
}

/**
 * Declares a command that other contexts send by `CommandSender`.
 *
 * Takes    its name, as `<plural noun>.<verb>`, which is sent between replicas and stays for ever; its owner; the JSON
 *          schema of its input; and who may send it.
 */
export function Routed(name: string, options: RoutedOptions): (type: RoutedClass) => void {
  return (type) => {
    if (!nameForm.test(name)) throw new Error(`${name} is not a command's name`);
    if (byName.has(name)) throw new Error(`two commands are named ${name}`);
    const routed = new RoutedCommand(name, type, options);
    byName.set(name, routed);
    byClass.set(type, routed);
  };
}

/** Null for a name that no class loaded here declares. */
export function routedNamed(name: string): RoutedCommand | null {
  return byName.get(name) ?? null;
}

/** Null for a class without `@Routed`. */
export function routedOf(type: unknown): RoutedCommand | null {
  return byClass.get(type) ?? null;
}

/** Every routed command that is loaded. */
export function routedCommands(): readonly RoutedCommand[] {
  return [...byName.values()];
}
