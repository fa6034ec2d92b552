import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { runProcess } from './run-process.js';
import type { LocalChecks } from './commands/doctor.js';
import type { Operator } from './program.js';

const root = join(__dirname, '..', '..', '..');

/** The framework is loaded for the operator's commands only: everything else begins without it. */
const operator: Operator = async (argv, { out, env }) => {
  await import('reflect-metadata');
  const { runCommandLine } = await import('./operator/command-line.js');
  return runCommandLine(argv, { ...env }, (text) => out.write(text));
};

const localChecks: LocalChecks = async (env) => {
  const { checkSettings } = await import('./operator/local-checks.js');
  return checkSettings(env);
};

/** The program in a checkout and in the image: `npm run --silent svc -- <command>`. */
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
void runProcess({ version, operator, localChecks });
