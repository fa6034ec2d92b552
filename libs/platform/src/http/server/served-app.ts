import type { ConsolePages } from '../pages/console-pages.js';

/** Which app this process is. */
export class ServedApp {
  constructor(
    readonly name: string,
    readonly version: string,
    readonly hasOwnMetricsPort: boolean,
    /** Null where the console is not served. */
    readonly console: ConsolePages | null = null,
  ) {}
}
