import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Command } from 'commander';
import { Writable } from 'node:stream';
import { parse } from 'yaml';
import { makeProgram } from '../program.js';
import { operations } from './operations.js';

type Contract = {
  paths: Record<
    string,
    Record<string, { operationId?: string; requestBody?: { content: Record<string, { schema: object }> } }>
  >;
  components: object;
};
const contract = parse(
  readFileSync(join(__dirname, '..', '..', '..', '..', 'contract', 'openapi.yaml'), 'utf8'),
) as Contract;
const inContract = Object.entries(contract.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { operationId }]) =>
    operationId === undefined ? [] : [{ id: operationId, call: `${method.toUpperCase()} ${path}` }],
  ),
);
const sink = new Writable();
const program = makeProgram(
  { input: process.stdin, out: sink, error: sink, env: {} },
  { version: '0', operator: null, localChecks: null },
);

function commandsBelow(command: Command): Command[] {
  return command.commands.flatMap((one) => (one.commands.length > 0 ? commandsBelow(one) : [one]));
}

describe('operations of the command line', () => {
  it('are those of the contract, each under words of its own', () => {
    expect(operations.map(({ id, method, path }) => ({ id, call: `${method} ${path}` })).sort(byId)).toEqual(
      inContract.sort(byId),
    );
    const calls = operations.map(({ words, args }) => `${words} ${args.length}`);
    expect(new Set(calls).size).toBe(calls.length);
  });

  it('are all reachable, but for sockets, which are no request, and for what leads a browser on', () => {
    const reached = commandsBelow(program).map((command) => `${command.parent?.name()} ${command.name()}`);
    const missing = operations.filter(({ words }) => !reached.includes(words));
    expect(missing.map(({ id, answer }) => [id, answer])).toEqual([
      ['receiveOAuthCallback', 'redirect'],
      ['welcome', 'redirect'],
      ['openWorkerSocket', 'socket'],
    ]);
  });

  it('have examples whose bodies the contract takes', () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats(ajv);
    ajv.addSchema({ $id: 'contract', components: contract.components });
    const faults = operations.flatMap(({ method, path, example }) => {
      const content = contract.paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json'];
      const body = /--data '(.*)'/s.exec(example)?.[1];
      if (!content || body === undefined) return [];
      const schema = JSON.parse(JSON.stringify(content.schema).replaceAll('"#/', '"contract#/')) as object;
      return ajv.validate(schema, JSON.parse(body)) ? [] : [`${example}: ${ajv.errorsText()}`];
    });
    expect(faults).toEqual([]);
  });

  it('have examples with the options that they need, and ids as the service makes them', () => {
    for (const { query, headers, example } of operations)
      for (const { name } of [...query, ...headers].filter(({ required }) => required))
        expect(example).toContain(`--${name.replaceAll('_', '-')} `);
    const ids = /'\w+'/g;
    const ofService = /export type IdPrefix =((?:\s+\| '\w+')+);/.exec(
      readFileSync(join(__dirname, '../../../../libs/kernel/src/ids.ts'), 'utf8'),
    );
    const prefixes = new Set((ofService?.[1]?.match(ids) ?? []).map((text) => text.slice(1, -1)));
    const shown = operations.flatMap(({ example }) => [...example.matchAll(/\b([a-z]+)_(?:…|01\b)/g)]);
    expect(shown.length).toBeGreaterThan(50);
    expect(shown.filter(([, prefix = '']) => !prefixes.has(prefix)).map(([id]) => id)).toEqual([]);
  });

  it('stand in groups that say what they are about', () => {
    for (const group of program.commands.filter(({ commands }) => commands.length > 0))
      expect(group.summary()).not.toContain('of the API');
  });

  it('have options that no other option of the program takes away', () => {
    const taken = program.options.map(({ long }) => long);
    for (const { id, query, headers } of operations)
      for (const { name } of [...query, ...headers])
        expect([id, taken.includes(`--${name.toLowerCase().replaceAll('_', '-')}`)]).toEqual([id, false]);
  });
});

describe('help', () => {
  it('has an example for every command, and no word of what is not there yet', () => {
    for (const command of [...commandsBelow(program), program]) {
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) });
      command.outputHelp();
      expect([command.name(), /Example:\n {2}.*\bsvc /.test(help)]).toEqual([command.name(), true]);
    }
    const visible = [program, ...program.commands].flatMap((command) =>
      command
        .createHelp()
        .visibleCommands(command)
        .map((one) => `${command.name()} ${one.name()}`)
        .filter((words) => !words.endsWith(' help')),
    );
    expect(visible.length).toBeGreaterThan(100);
    const early = /\b(fork|export|explain|drift|eval)\b|sessions import/;
    expect(visible.filter((words) => early.test(words))).toEqual([]);
  });
});

function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : 1;
}
