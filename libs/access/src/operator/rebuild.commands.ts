import { Injectable, type OnModuleInit } from '@nestjs/common';
import { invalidArgument } from '@aos/kernel';
import { Rebuilds } from '@aos/platform';
import { OperatorCommands } from './operator-commands.js';
import type { OperatorUsage } from './operator-usage.js';

export const rebuildUsages = {
  verify: {
    name: 'rebuild',
    options: [{ name: 'verify', isRequired: true }],
    summary:
      'Builds every projection a second time, beside the live one, and compares their hashes; ' +
      'ends with 1 when any differs.',
  },
  rebuild: {
    name: 'rebuild',
    words: '<projection>@<version>',
    summary: 'Forgets the rows of one projection and builds them again; its lists answer 503 meanwhile.',
  },
} satisfies Record<string, OperatorUsage>;

/**
 * Rebuilds or verifies projections of a process that has all of them; in a fleet each service is asked about its own.
 */
@Injectable()
export class RebuildOperatorCommands implements OnModuleInit {
  constructor(
    private readonly operator: OperatorCommands,
    private readonly rebuilds: Rebuilds,
  ) {}

  onModuleInit(): void {
    this.operator.register({
      ...rebuildUsages.verify,
      run: async ({ args: [projection], options }) => {
        if (options.verify !== undefined) return this.rebuilds.verify();
        if (projection === undefined) throw invalidArgument('projection', 'name one, or say --verify');
        const answer = await this.rebuilds.rebuild(projection);
        if (answer.rebuilding.length === 0)
          throw invalidArgument('projection', `takes one of ${this.rebuilds.names.join(', ')}`);
        return answer;
      },
    });
  }
}
