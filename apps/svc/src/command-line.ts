import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { accessUsages, type OperatorAnswer, type OperatorAsk } from '@aos/access';
import { SettingsRefused, loadSettings } from '@aos/platform';
import { BadUsage, parseArguments } from './arguments.js';
import { askOwnDirectory } from './own-directory.js';
import { askRunningService } from './running-service.js';

export interface Terminal {
  out(text: string): void;
  error(text: string): void;
}

const exitRefused = 1;
const exitUsage = 2;
const attemptsMax = 20;
const attemptEveryMs = 250;

const help = `Usage: npm run --silent svc -- <command>

${Object.values(accessUsages).map(({ usage, summary }) => `  ${usage}\n      ${summary}`).join('\n')}

Prints JSON. Works on SVC_DATA_DIR, also while the service runs there. Without --org the organization of the first start is meant.
`;

/** Takes what was typed and the environment. Gives the exit code: 0 done, 1 refused, 2 not understood. */
export async function runCommandLine(argv: readonly string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  try {
    const { words, options, wantsHelp } = parseArguments(argv);
    if (wantsHelp || words.length === 0) {
      terminal.out(help);
      return wantsHelp ? 0 : exitUsage;
    }
    return report(await answerTo({ words, options }, env), terminal);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    terminal.error(`${error.message}\n`);
    return error instanceof BadUsage || error instanceof SettingsRefused ? exitUsage : exitRefused;
  }
}

/** The running service answers; where none runs, the directory is opened. A service that is just starting or stopping is waited for, at most 5 s. */
async function answerTo(ask: OperatorAsk, env: NodeJS.ProcessEnv): Promise<OperatorAnswer> {
  const { dataDir, eventStoreUrl } = loadSettings(env, 'embedded');
  if (eventStoreUrl !== null || existsSync(join(dataDir, 'fleet.json'))) throw new Error('a fleet is set up here: its access-service takes no operator commands yet');
  for (let attempt = 1; ; attempt += 1) {
    const answer = await askRunningService(dataDir, ask);
    if (answer) return answer;
    try {
      return await askOwnDirectory(env, ask);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'DirectoryInUse' || attempt >= attemptsMax) throw error;
      await wait(attemptEveryMs);
    }
  }
}

function report(answer: OperatorAnswer, terminal: Terminal): number {
  if (answer.ok) {
    terminal.out(`${JSON.stringify(answer.result)}\n`);
    return 0;
  }
  const { code, message, details } = answer;
  terminal.error(`${JSON.stringify({ error: { code, message, details } })}\n`);
  return exitRefused;
}
