import { setTimeout as wait } from 'node:timers/promises';
import {
  accessUsages,
  rebuildUsages,
  secretsUsages,
  unknownOption,
  usageText,
  type OperatorAnswer,
  type OperatorAsk,
  type OperatorUsage,
} from '@aos/access';
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

const usages: readonly OperatorUsage[] = [
  accessUsages,
  callbackUsages,
  rebuildUsages,
  secretsUsages,
  logUsages,
].flatMap((some) => Object.values<OperatorUsage>(some));
const switches: ReadonlySet<string> = new Set(
  usages.flatMap(({ options = [] }) => options.filter(({ value }) => value === undefined).map(({ name }) => name)),
);

const help = `Usage: npm run --silent svc -- <command>

${usages.map((usage) => `  ${usageText(usage)}\n      ${usage.summary}`).join('\n')}

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
    const { words, options, wantsHelp } = parseArguments(argv, switches);
    if (wantsHelp && isBeginning(words)) {
      out(help);
      return exitCodes.done;
    }
    requireUsage({ words, options });
    return report(await answerTo({ words, options }, env), out);
  } catch (error) {
    throw error instanceof BadUsage || error instanceof SettingsRefused ? usageComplaint(error.message) : error;
  }
}

/** Whether the words are the first ones of a command, or a command and more. */
function isBeginning(words: readonly string[]): boolean {
  return usages.some(({ name }) =>
    name.split(' ').every((word, index) => index >= words.length || word === words[index]),
  );
}

/** Which commands there are, with which words and options, is known without a service. */
function requireUsage({ words, options }: OperatorAsk): void {
  const meant = usages.filter(({ name }) => name.split(' ').every((word, index) => word === words[index]));
  if (meant.length === 0) {
    const near = usages.filter(({ name }) => name.split(' ')[0] === words[0]).map(usageLine);
    const typed = words.join(' ');
    throw usageComplaint(isBeginning(words) ? incomplete(typed) : `"${typed}" is no operator's command`, ...near);
  }
  const unknown = unknownOption(options, meant);
  if (unknown !== undefined)
    throw usageComplaint(`--${unknown} is no option of svc ${meant[0]?.name}`, ...meant.map(usageLine));
  const name = meant[0]?.name ?? '';
  const [rest] = words.slice(name.split(' ').length);
  const isMeant = meant.some((usage) => (usage.words === undefined) === (rest === undefined) && hasRequired(usage));
  if (!isMeant)
    throw usageComplaint(rest === undefined ? incomplete(name) : `"${rest}" is too much`, ...meant.map(usageLine));

  function hasRequired(usage: OperatorUsage): boolean {
    return (usage.options ?? []).every((option) => !option.isRequired || option.name in options);
  }
}

function incomplete(typed: string): string {
  return `svc ${typed} is not complete`;
}

function usageLine(usage: OperatorUsage): string {
  return `svc ${usageText(usage)}`;
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
