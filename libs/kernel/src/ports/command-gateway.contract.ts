import { viewersOf, type Identity, type Viewer } from '../identity.js';
import type { JsonObject } from '../json.js';
import { Refusal } from '../refusal.js';
import { StoreUnavailable } from './event-store.js';
import { uniqueName } from '../testing/eventually.js';
import type { CommandGateway, GatewayCommand } from './command-gateway.js';

const deadlineMs = 180_000;

export interface OpenedCommandGateway {
  gateway: CommandGateway;
  /** The name under which the suite's handler was registered. */
  command: string;
  /** Names without a registered handler, in every way in which the adapter tells them apart. */
  unknown: readonly string[];
  /**
   * The target carries the next command out, but its answer does not arrive. Absent where an answer cannot get lost.
   */
  loseNextAnswer?(): void;
  close(): Promise<void>;
}

/** A context that keeps delivery ids in its state, as every target must. */
class Target {
  readonly asked: GatewayCommand[] = [];
  /** Delivery ids that were carried out. */
  readonly done: string[] = [];
  carryOut: (command: GatewayCommand) => JsonObject = () => ({});
  private readonly answers = new Map<string, JsonObject>();

  readonly handle = (command: GatewayCommand): Promise<JsonObject> =>
    Promise.resolve().then(() => {
      this.asked.push(command);
      const known = this.answers.get(command.deliveryId);
      if (known) return known;
      const answer = this.carryOut(command);
      this.done.push(command.deliveryId);
      this.answers.set(command.deliveryId, answer);
      return answer;
    });
}

const agent: Identity = {
  orgId: 'org_1',
  principalId: 'agent_1',
  kind: 'agent',
  apiKeyId: null,
  permissions: new Set(),
  roles: [],
  cap: null,
  requestId: 'req_1',
  ip: null,
};
const person: Identity = {
  orgId: 'org_2',
  principalId: 'user_2',
  kind: 'human',
  apiKeyId: 'cred_2',
  permissions: new Set(['svc.resource.view', 'svc.org.admin', 'svc.job.execute']),
  roles: [
    { roleId: 'role_a', revision: 3 },
    { roleId: 'role_b', revision: 0 },
  ],
  cap: { roleId: 'role_c', revision: 7 },
  requestId: 'req_2',
  ip: '2001:db8::1',
};
const payload: JsonObject = {
  text: 'größer "quoted"\n\u2028',
  none: null,
  list: [1, -2.5, [true, {}], ''],
  deep: { a: { b: { c: false } } },
};

/** The CommandGateway port's suite. Takes how an adapter is opened in front of the suite's own target. */
export function commandGatewayContract(
  name: string,
  open: (handler: (command: GatewayCommand) => Promise<JsonObject>) => Promise<OpenedCommandGateway>,
): void {
  describe(`CommandGateway: ${name}`, () => {
    const target = new Target();
    let opened: OpenedCommandGateway;
    beforeAll(async () => {
      opened = await open(target.handle);
    }, deadlineMs);
    beforeEach(() => {
      target.asked.length = 0;
      target.done.length = 0;
      target.carryOut = () => ({ count: target.done.length });
    });
    afterAll(async () => {
      await opened.close();
    }, deadlineMs);
    const commandOf = (rest: Partial<GatewayCommand> = {}): GatewayCommand => ({
      name: opened.command,
      payload,
      identity: agent,
      deliveryId: uniqueName('delivery:'),
      ...rest,
    });
    const failure = (command: GatewayCommand) =>
      opened.gateway.send(command).then(
        () => null,
        (error: unknown) => error,
      );

    test(
      'a command arrives as it was sent, with who acts, and its answer comes back',
      async () => {
        target.carryOut = (command) => ({ got: command.payload });
        for (const identity of [
          agent,
          { ...agent, actsFor: viewersOf({ ...person, orgId: agent.orgId })[0] as Viewer },
          person,
        ]) {
          const command = commandOf({ identity });
          expect(await opened.gateway.send(command)).toEqual({ got: payload });
          expect(target.asked.at(-1)).toEqual(command);
        }
        expect(target.asked).toHaveLength(3);
      },
      deadlineMs,
    );

    test(
      'a repeated delivery id answers as the first time, also when the first answer was lost',
      async () => {
        const command = commandOf();
        opened.loseNextAnswer?.();
        const first = await opened.gateway.send(command);
        expect(await opened.gateway.send(command)).toEqual(first);
        expect(first).toEqual({ count: 0 });
        expect(target.done).toEqual([command.deliveryId]);
        expect(target.asked).toHaveLength(opened.loseNextAnswer ? 3 : 2);
        for (const asked of target.asked) expect(asked).toEqual(command);
        expect(await opened.gateway.send(commandOf())).toEqual({ count: 1 });
      },
      deadlineMs,
    );

    test(
      'commands on their way at the same time get their own answers',
      async () => {
        target.carryOut = ({ deliveryId }) => ({ deliveryId });
        const commands = Array.from({ length: 20 }, () => commandOf());
        expect(await Promise.all(commands.map((command) => opened.gateway.send(command)))).toEqual(
          commands.map(({ deliveryId }) => ({ deliveryId })),
        );
      },
      deadlineMs,
    );

    test(
      'the refusal of the target comes through with its code, details and sentence',
      async () => {
        for (const refusal of [
          new Refusal('conflict', { field: 'name', taken: ['a', null] }, 'taken by another'),
          new Refusal('not_found'),
          new Refusal('plan_limit_exceeded', { limit: 3 }),
        ]) {
          target.carryOut = () => {
            throw refusal;
          };
          const error = await failure(commandOf());
          expect(error).toBeInstanceOf(Refusal);
          expect(error).toMatchObject({ code: refusal.code, details: refusal.details, message: refusal.message });
        }
      },
      deadlineMs,
    );

    test(
      'a target that cannot reach its store is StoreUnavailable, and the same command may be sent again',
      async () => {
        const command = commandOf();
        target.carryOut = () => {
          throw new StoreUnavailable('the store is away');
        };
        expect(await failure(command)).toBeInstanceOf(StoreUnavailable);
        target.carryOut = () => ({ back: true });
        expect(await opened.gateway.send(command)).toEqual({ back: true });
      },
      deadlineMs,
    );

    test(
      'a fault of the target is neither a refusal nor worth another try',
      async () => {
        target.carryOut = () => {
          throw new Error('a fault');
        };
        const error = await failure(commandOf());
        expect(error).toBeInstanceOf(Error);
        expect(error).not.toBeInstanceOf(Refusal);
        expect(error).not.toBeInstanceOf(StoreUnavailable);
      },
      deadlineMs,
    );

    test(
      'a command that nobody registered fails for good and reaches nobody',
      async () => {
        for (const unknown of opened.unknown) {
          const error = await failure(commandOf({ name: unknown }));
          expect(error).toBeInstanceOf(Error);
          expect(error).not.toBeInstanceOf(StoreUnavailable);
        }
        expect(target.asked).toEqual([]);
      },
      deadlineMs,
    );
  });
}
