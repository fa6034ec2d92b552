import { setTimeout as wait } from 'node:timers/promises';
import { accessUsages, rebuildUsages, secretsUsages, type OperatorAnswer, type OperatorAsk } from '@aos/access';
import { logUsages } from '@aos/composition';
import { callbackUsages } from '@aos/interactions';
import { SettingsRefused, loadSettings } from '@aos/platform';
import { unsaidLines } from '../connection/complaints.js';
import { Complaint, exitCodes, usageComplaint } from '../console/complaint.js';
import { BadUsage, parseArguments } from './arguments.js';
import { askOwnDirectory } from './own-directory.js';
import { RunningFleet, fleetAddresses } from './running-fleet.js';
import { askRunningService } from './running-service.js';
import { requireServiceData } from './service-data.js';

type Write = (text: string) => void;

const attemptsMax = 20;
const attemptEveryMs = 250;
/** What needs more than the identities of a data directory. */
const runningOnly: ReadonlySet<string> = new Set(['rebuild', 'callback', 'secrets']);

const usages = Object.values({ ...accessUsages, ...callbackUsages, ...rebuildUsages, ...secretsUsages, ...logUsages });

const help = `Usage: npm run --silent svc -- <command>

${usages.map(({ usage, summary }) => `  ${usage}\n      ${summary}`).join('\n')}

Prints JSON. Works on SVC_DATA_DIR, also while the service runs there; rebuild, callback and secrets only then.
A fleet is found by SVC_GATEWAY_UPSTREAMS, or by the fleet.json that its launcher keeps in SVC_DATA_DIR, and
believes what is signed with the SVC_IDENTITY_SEED of its operator (SVC_MASTER_KEYS where it has no other keys).
Without --org the organization of the first start is meant.
`;

/**
 * Takes what was typed and the environment. Gives the exit code; throws a `Complaint` for what is refused or not
 * understood.
 */
export async function runCommandLine(argv: readonly string[], env: NodeJS.ProcessEnv, out: Write): Promise<number> {
  try {
    const { words, options, wantsHelp } = parseArguments(argv);
    if (wantsHelp || words.length === 0) {
      out(help);
      return wantsHelp ? exitCodes.done : exitCodes.usage;
    }
    requireCommand(words);
    return report(await answerTo({ words, options }, env), out);
  } catch (error) {
    throw error instanceof BadUsage || error instanceof SettingsRefused ? usageComplaint(error.message) : error;
  }
}

/** Whether there is such a command, is known without a service. */
function requireCommand(words: readonly string[]): void {
  const names = usages.map(({ name }) => name.split(' '));
  if (names.some((name) => name.every((word, index) => word === words[index]))) return;
  const [first = ''] = words;
  const near = usages.filter(({ name }) => name.split(' ')[0] === first).map(({ usage }) => `svc ${usage}`);
  throw usageComplaint(`"${words.join(' ')}" is no operator's command`, ...near);
}

/**
 * The running fleet answers, or the running service; where none runs, the directory is opened, if a service made it. A
 * service that is just starting or stopping is waited for, at most 5 s.
 */
async function answerTo(ask: OperatorAsk, env: NodeJS.ProcessEnv): Promise<OperatorAnswer> {
  const settings = loadSettings(env, 'embedded');
  const addresses = fleetAddresses(settings);
  if (addresses) return new RunningFleet(addresses, settings).answerTo(ask);
  for (let attempt = 1; ; attempt += 1) {
    const answer = await askRunningService(settings.dataDir, ask);
    if (answer) return isUnderWay(answer) ? answerTo(ask, env) : answer;
    if (runningOnly.has(ask.words[0] ?? ''))
      throw new Error(`nothing runs on ${settings.dataDir}: start the service first`);
    requireServiceData(settings);
    try {
      return await askOwnDirectory(env, ask);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'DirectoryInUse' || attempt >= attemptsMax) throw error;
      await wait(attemptEveryMs);
    }
  }
}

/** A check that goes on: the service answers every few seconds. */
function isUnderWay(answer: OperatorAnswer): boolean {
  return answer.ok && (answer.result as { state?: unknown } | null)?.state === 'running';
}

function report(answer: OperatorAnswer, out: Write): number {
  if (!answer.ok) throw new Complaint(`${answer.message} (${answer.code})`, unsaidLines(answer));
  out(`${JSON.stringify(answer.result)}\n`);
  return (answer.result as { matches?: unknown } | null)?.matches === false ? exitCodes.failed : exitCodes.done;
}
