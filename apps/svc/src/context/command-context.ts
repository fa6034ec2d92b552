import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { Complaint, usageComplaint } from '../console/complaint.js';
import { isInteractive, type Io } from '../console/io.js';
import { formatFor, print, type OutputFormat } from '../console/output.js';
import { findConnection, requireKey, type Connection } from '../connection/connection.js';
import { Service } from '../connection/service.js';

/** Options of the program itself: every command takes them, before or after its words. */
export type GlobalOptions = { url?: string; profile?: string; output?: OutputFormat; yes?: boolean };

/** The exit code that the program ends with when nothing fails. */
export type Exit = { code: number };

/** What a command is carried out with. */
export class CommandContext {
  readonly connection: Connection;

  constructor(
    readonly io: Io,
    readonly options: GlobalOptions,
    private readonly program: { version: string; exit: Exit },
  ) {
    this.connection = findConnection(options, io);
  }

  get format(): OutputFormat {
    return formatFor(this.options.output, this.io);
  }

  /** The service with the caller's key. Refuses where there is no key. */
  service(): Service {
    return new Service(this.connection, requireKey(this.connection));
  }

  get version(): string {
    return this.program.version;
  }

  /** Lets the program end with this code. */
  endWith(code: number): void {
    this.program.exit.code = code;
  }

  print(value: unknown): void {
    print(value, this.format, this.io);
  }

  /** Says something to the person at the terminal, never to what reads the output. */
  say(text: string): void {
    this.io.error.write(`${text}\n`);
  }

  /** Refuses what destroys where there is neither `--yes` nor a person to ask. */
  requireConsent(what: string): void {
    if (this.options.yes !== true && !isInteractive(this.io))
      throw usageComplaint(`${what}: this cannot be taken back`, 'Add --yes to do it without being asked');
  }

  /**
   * Asks before something is destroyed. Refuses without `--yes` and without a terminal, and when the answer is no.
   */
  async confirm(what: string): Promise<void> {
    this.requireConsent(what);
    if (this.options.yes === true) return;
    const reader = createInterface({ input: this.io.input, output: this.io.error, terminal: true });
    try {
      const answer = await reader.question(`${what}? [y/N] `);
      if (!/^y(es)?$/i.test(answer.trim())) throw new Complaint('nothing was done');
    } finally {
      reader.close();
    }
  }
}

export type MakeContext = (command: Command) => CommandContext;
