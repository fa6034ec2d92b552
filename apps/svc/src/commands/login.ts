import type { Command } from 'commander';
import { password, text } from '@clack/prompts';
import { checkedUrl, defaultUrl } from '../connection/connection.js';
import { profilesPath, readProfiles, writeProfiles } from '../connection/profiles.js';
import { Service } from '../connection/service.js';
import { Complaint, usageComplaint } from '../console/complaint.js';
import { isInteractive, type Io } from '../console/io.js';
import { shownOnLine } from '../console/text.js';
import { textOf } from '../operations/request-body.js';
import type { GlobalOptions } from '../context/command-context.js';
import type { Me } from './status.js';

const keyPattern = /^[\x21-\x7e]{8,512}$/;

/** `svc login`: asks for address and key, tries them, and keeps them in a profile. */
export function addLoginCommand(program: Command, io: Io): void {
  program
    .command('login')
    .summary('keep the address and key of a service in a profile')
    .description(
      'Asks for address and key, tries them, and keeps both in a profile that only you can read. ' +
        'Without a terminal the key is read from standard input.',
    )
    .addHelpText('after', '\nExample:\n  svc login\n  svc login --url https://agents.example.com < key.txt\n')
    .action(async (_options, command: Command) => {
      await logIn(command.optsWithGlobals<GlobalOptions>(), io);
    });
}

async function logIn(options: GlobalOptions, io: Io): Promise<void> {
  const path = profilesPath(io.env);
  const kept = readProfiles(path);
  const name = options.profile ?? kept.current;
  const known = options.url ?? io.env.SVC_URL ?? kept.profiles[name]?.url;
  const isPerson = isInteractive(io);
  const url = checkedUrl(known ?? (isPerson ? await askUrl(io) : defaultUrl), options.url ? '--url' : 'the address');
  const key = (isPerson ? await askKey(io, url) : await textOf(io.input)).trim();
  if (!keyPattern.test(key))
    throw usageComplaint(
      key === '' ? 'no API key came in' : 'what came in is no API key',
      isPerson
        ? 'Next: svc login, with the key as it was shown'
        : 'Give it on standard input: svc login --url <url> < key.txt',
    );
  const connection = { url, urlFrom: 'profile', key, keyFrom: 'profile', profile: name } as const;
  const me = (await new Service(connection, key).request('GET', '/v1/me', {})) as Me;
  writeProfiles(path, { ...kept, current: name, profiles: { ...kept.profiles, [name]: { url, key } } });
  const who = `${shownOnLine(me.principal.name)} of ${shownOnLine(me.organization.name)}`;
  io.error.write(`Logged in to ${url} as ${who}. Kept in ${path}, profile ${name}.\n`);
}

async function askUrl({ input, error }: Io): Promise<string> {
  const address = { placeholder: defaultUrl, defaultValue: defaultUrl };
  const answer = await text({ message: 'Address of the service', ...address, input, output: error });
  return answerOr(answer);
}

async function askKey({ input, error }: Io, url: string): Promise<string> {
  return answerOr(await password({ message: `API key for ${url}`, input, output: error }));
}

function answerOr(answer: string | symbol | undefined): string {
  if (typeof answer !== 'string') throw new Complaint('nothing was kept');
  return answer;
}
