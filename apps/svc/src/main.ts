import 'reflect-metadata';
import { runCommandLine } from './command-line.js';

/** The operator's command line: `npm run --silent svc -- <command>`. */
async function main(): Promise<void> {
  process.exitCode = await runCommandLine(process.argv.slice(2), process.env, {
    out: (text) => {
      process.stdout.write(text);
    },
    error: (text) => {
      process.stderr.write(text);
    },
  });
}

void main();
