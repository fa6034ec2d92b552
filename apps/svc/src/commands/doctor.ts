import { existsSync, statfsSync } from 'node:fs';
import type { Command } from 'commander';
import { isOpenToOthers, profilesPath } from '../connection/profiles.js';
import { probe, type Probe } from '../connection/probe.js';
import { Complaint, exitCodes, messageIn } from '../console/complaint.js';
import { hasColours } from '../console/io.js';
import { painter, shown } from '../console/text.js';
import type { CommandContext, MakeContext } from '../context/command-context.js';
import type { Health, Me } from './status.js';

export type Check = { check: string; ok: boolean; message: string; fix?: string };
/** Checks that need the checkout: the settings of a service started here, and where its data lies. */
export type LocalChecks = (env: NodeJS.ProcessEnv) => Promise<{ checks: Check[]; dataDir: string }>;

const nodeLeast = [20, 19] as const;
const clockOffMsMax = 5_000;
const diskFreeLeast = 1024 ** 3;
const dayMs = 86_400_000;
const keyEndsDays = 7;

/** `svc doctor`: what is wrong, and what to do. Ends with 1 when something is. */
export function addDoctorCommand(
  program: Command,
  makeContext: MakeContext,
  parts: { version: string; localChecks: LocalChecks | null },
): void {
  program
    .command('doctor')
    .summary('find what is wrong, and say what to do')
    .description(
      'Checks settings, the service and its engines, the key, clocks, disk and versions. Ends with 1 when one is not ok.',
    )
    .addHelpText('after', '\nExample:\n  svc doctor\n  svc doctor --output json\n')
    .action(async (_options, command: Command) => {
      const context = makeContext(command);
      const checks = await examine(context, parts);
      if (context.format === 'table') context.io.out.write(linesOf(checks, context));
      else context.print(checks);
      if (checks.some(({ ok }) => !ok)) context.endWith(exitCodes.failed);
    });
}

async function examine(
  context: CommandContext,
  { version, localChecks }: { version: string; localChecks: LocalChecks | null },
): Promise<Check[]> {
  const { connection, io } = context;
  const answer = await probe(connection, '/readyz');
  const local = localChecks ? await localChecks({ ...io.env }) : null;
  return [
    profileCheck(context),
    ...(local?.checks ?? []),
    serviceCheck(answer, connection.url),
    ...enginesChecks(answer),
    await keyCheck(context, answer),
    clockCheck(answer),
    diskCheck(local?.dataDir ?? null),
    nodeCheck(process.versions.node),
    versionCheck(answer, version),
  ];
}

function profileCheck({ io, connection }: CommandContext): Check {
  const path = profilesPath(io.env);
  if (isOpenToOthers(path))
    return { check: 'profiles', ok: false, message: `${path} can be read by others`, fix: `chmod 600 ${path}` };
  const file = existsSync(path) ? `${path}, profile ${connection.profile}` : 'no profile is kept';
  return { check: 'profiles', ok: true, message: `${file}; address from ${connection.urlFrom}` };
}

function serviceCheck(answer: Probe, url: string): Check {
  if (!answer.ok)
    return { check: 'service', ok: false, message: answer.complaint.message, fix: fixOf(answer.complaint) };
  const { status = 'unknown' } = answer.body as Partial<Health>;
  if (answer.status === 200) return { check: 'service', ok: true, message: `${url} is ready (${status})` };
  return {
    check: 'service',
    ok: false,
    message: `${url} is not ready (${status})`,
    fix: 'Look at the engines below, and at the log of the service',
  };
}

/** The dependencies that the service itself names: its store, and in a fleet the engines. */
function enginesChecks(answer: Probe): Check[] {
  if (!answer.ok)
    return [
      { check: 'engines', ok: false, message: 'not known: the service does not answer', fix: 'Start the service' },
    ];
  const { checks = {} } = answer.body as Partial<Health>;
  const entries = Object.entries(checks);
  if (entries.length === 0) return [{ check: 'engines', ok: true, message: 'the service names none' }];
  return entries.map(([name, state]) =>
    isWell(state)
      ? { check: `engine ${name}`, ok: true, message: state }
      : {
          check: `engine ${name}`,
          ok: false,
          message: state,
          fix: `docs/OPERATIONS.md says what to do when ${name} is down`,
        },
  );
}

function isWell(state: string): boolean {
  return /^(ok|up|ready)\b/i.test(state);
}

async function keyCheck(context: CommandContext, answer: Probe): Promise<Check> {
  const { key, keyFrom, url } = context.connection;
  const logIn = `svc login --url ${url}, or set SVC_KEY`;
  if (key === null) return { check: 'key', ok: false, message: `there is none for ${url}`, fix: logIn };
  if (!answer.ok)
    return { check: 'key', ok: false, message: 'not tried: the service does not answer', fix: 'Start the service' };
  try {
    const { principal, organization, api_key: own } = (await context.service().request('GET', '/v1/me', {})) as Me;
    const who = `${principal.name} of ${organization.name}, from ${keyFrom}`;
    const days = own.expires_at === null ? null : Math.floor((Date.parse(own.expires_at) - Date.now()) / dayMs);
    if (days !== null && days < keyEndsDays)
      return {
        check: 'key',
        ok: false,
        message: `${who}: it ends at ${own.expires_at}`,
        fix: 'svc keys create, then svc login',
      };
    return { check: 'key', ok: true, message: who };
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    return { check: 'key', ok: false, message: error.message, fix: logIn };
  }
}

function clockCheck(answer: Probe): Check {
  if (!answer.ok)
    return {
      check: 'clock',
      ok: false,
      message: 'not compared: the service does not answer',
      fix: 'Start the service',
    };
  if (answer.date === null) return { check: 'clock', ok: true, message: 'the service does not say its time' };
  // The header is in whole seconds: it lies up to one behind.
  const offMs = Math.abs(answer.receivedAt - answer.date);
  const seconds = Math.round(offMs / 1_000);
  if (offMs <= clockOffMsMax)
    return { check: 'clock', ok: true, message: `this machine and the service are ${seconds} s apart` };
  return {
    check: 'clock',
    ok: false,
    message: `this machine and the service are ${seconds} s apart`,
    fix: 'Set both clocks by NTP: signed requests are refused when they differ',
  };
}

function diskCheck(dataDir: string | null): Check {
  if (dataDir === null || !existsSync(dataDir))
    return { check: 'disk', ok: true, message: 'the data of the service is not on this machine, as far as is seen' };
  try {
    const { bavail, bsize } = statfsSync(dataDir);
    const free = bavail * bsize;
    const message = `${dataDir} has ${(free / 1024 ** 3).toFixed(1)} GiB free`;
    if (free >= diskFreeLeast) return { check: 'disk', ok: true, message };
    return { check: 'disk', ok: false, message, fix: `Make room there, or move SVC_DATA_DIR` };
  } catch (error) {
    return {
      check: 'disk',
      ok: false,
      message: `${dataDir}: ${messageIn(error)}`,
      fix: 'Check the folder of SVC_DATA_DIR',
    };
  }
}

function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > nodeLeast[0] || (major === nodeLeast[0] && minor >= nodeLeast[1]);
  const message = `Node ${version}`;
  if (isEnough) return { check: 'node', ok: true, message };
  return { check: 'node', ok: false, message, fix: `Use Node ${nodeLeast.join('.')} or newer` };
}

function versionCheck(answer: Probe, version: string): Check {
  if (!answer.ok)
    return {
      check: 'versions',
      ok: false,
      message: `svc ${version}; that of the service is not known`,
      fix: 'Start the service',
    };
  const { version: served } = answer.body as Partial<Health>;
  if (served === undefined)
    return { check: 'versions', ok: true, message: `svc ${version}; the service does not say its own` };
  const release = (text: string) => text.split('.').slice(0, 2).join('.');
  if (release(served) === release(version))
    return { check: 'versions', ok: true, message: `svc ${version}, service ${served}` };
  return {
    check: 'versions',
    ok: false,
    message: `svc ${version}, service ${served}`,
    fix: `Use the svc of release ${release(served)}`,
  };
}

function fixOf({ next }: Complaint): string {
  return next.map((line) => line.replace(/^Next: /, '')).join('; ');
}

function linesOf(checks: readonly Check[], { io }: CommandContext): string {
  const paint = painter(hasColours(io.out, io.env));
  return checks
    .map(({ check, ok, message, fix }) => {
      const mark = ok ? paint('green', 'ok  ') : paint('red', 'FAIL');
      const advice = fix === undefined ? '' : `\n       ${paint('dim', shown(fix))}`;
      return `${mark} ${paint('bold', check)}: ${shown(message)}${advice}\n`;
    })
    .join('');
}
