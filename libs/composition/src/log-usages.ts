import type { OperatorUsage } from '@aos/access/published';

export const logUsages = {
  convert: {
    name: 'log convert',
    summary:
      'Moves the events that an older release wrote over to the present form of the log, beside the service; broken off anywhere, it goes on when it is run again.',
  },
} satisfies Record<string, OperatorUsage>;
