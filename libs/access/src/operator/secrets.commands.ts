import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock, Ids, invalidArgument, type JsonObject } from '@aos/kernel';
import {
  CommandSender,
  ResealActionSecrets,
  ResealConnectionSecrets,
  ResealInteractionSecrets,
  ResealWebhookSecrets,
  operatorIdentity,
  resealCommands,
} from '@aos/platform';
import { OperatorCommands } from './operator-commands.js';
import type { OperatorUsage } from './operator-usage.js';

export const secretsUsages = {
  reseal: {
    name: 'secrets reseal',
    options: [{ name: 'after', value: '<next>' }],
    summary:
      'Seals stored secrets anew with the first master key; ' +
      'once it says "done" and nothing is unreadable, the other keys can go.',
  },
} satisfies Record<string, OperatorUsage>;

/** Time limit of one answer, which says how far the work came. */
const answerWithinMs = 60_000;

/** In the order of `resealCommands`. */
const reseals = [ResealActionSecrets, ResealInteractionSecrets, ResealWebhookSecrets, ResealConnectionSecrets];

type Reseal = (typeof reseals)[number];

interface Totals {
  checked: number;
  resealed: number;
  unreadable: number;
  unreadable_ids: string[];
}

/**
 * Seals secrets anew with the present master key. An old key is needed until all that it sealed is sealed anew (control
 * S32).
 */
@Injectable()
export class SecretsOperatorCommands implements OnModuleInit {
  constructor(
    private readonly operator: OperatorCommands,
    private readonly sender: CommandSender,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  onModuleInit(): void {
    this.operator.register({ ...secretsUsages.reseal, run: ({ options }) => this.reseal(options.after) });
  }

  /** `from`: `next` of an answer that stopped before the end, as `<command>@<position>`. */
  private async reseal(from: string | undefined): Promise<JsonObject> {
    const [name = '', position = ''] = from?.split('@') ?? [resealCommands[0], ''];
    let index = resealCommands.findIndex((command) => command === name);
    if (index < 0) throw invalidArgument('after', 'is the `next` of an answer before');
    let after: string | null = position === '' ? null : position;
    const totals: Totals = { checked: 0, resealed: 0, unreadable: 0, unreadable_ids: [] };
    const startedAt = this.clock.monotonic();
    for (let type = reseals[index]; type; type = reseals[index]) {
      if (this.clock.monotonic() - startedAt >= answerWithinMs)
        return { done: false, ...totals, next: `${resealCommands[index]}@${after ?? ''}` };
      after = await this.ask(type, after, totals);
      if (after === null) index += 1;
    }
    return { done: true, ...totals };
  }

  private async ask(type: Reseal, after: string | null, totals: Totals): Promise<string | null> {
    const requestId = `svc-${this.ids.ulid()}`;
    const answer = await this.sender.send(
      new type(operatorIdentity(requestId), after === null ? {} : { after }, requestId),
    );
    totals.checked += answer.checked;
    totals.resealed += answer.resealed;
    totals.unreadable += answer.unreadable;
    totals.unreadable_ids = [...totals.unreadable_ids, ...answer.unreadable_ids].slice(0, 20);
    return answer.next;
  }
}
