import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '..');
const tool = join(__dirname, 'contract-types.mjs');

/** Types of each contract, in one run of the tool's own function. */
function typesOf(contracts: string[]): string[] {
  const script = `import { contractTypes } from ${JSON.stringify(tool)};
    const given = JSON.parse(process.argv[1]);
    console.log(JSON.stringify(await Promise.all(given.map(contractTypes))))`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', script, JSON.stringify(contracts)],
    { encoding: 'utf8', cwd: root },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as string[];
}

function contractOf(schemas: string): string {
  const reply =
    "{description: ok, headers: {X-A: {schema: {type: string}}}, content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}";
  return `openapi: 3.1.0
info: {title: t, version: '1'}
paths: {/a: {get: {operationId: getA, responses: {'200': ${reply}}}}}
components: {schemas: ${schemas}}
`;
}

describe('libs/contract/src/openapi.d.ts', () => {
  it('holds the types of the contract: node tools/run.mjs tools/contract-types.mjs writes them', () => {
    const { status, stderr } = spawnSync(process.execPath, [tool, '--check'], { encoding: 'utf8', cwd: root });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('changes with a member, what it may be and whether it must be there, and not with a description', () => {
    const member = (text: string, required = '') =>
      contractOf(`{A: {type: object, ${required} properties: {b: ${text}}}}`);
    const [plain, described, ...changed] = typesOf([
      member('{type: string}'),
      member('{type: string, description: A word.}'),
      member('{type: [string, "null"]}'),
      member('{type: string, enum: [x, y]}'),
      member('{type: string}', 'required: [b],'),
      member('{type: integer}'),
    ]);
    expect(described).toBe(plain);
    expect(plain).toContain('A: { b?: string }');
    expect(changed.map((text) => /A: \{.*?\}/.exec(text)?.[0])).toEqual([
      'A: { b?: string | null }',
      "A: { b?: 'x' | 'y' }",
      'A: { b: string }',
      'A: { b?: number }',
    ]);
  });

  it('has of a reference the values that are taken there', () => {
    const reference = "{$ref: '#/components/schemas/W', x-values: [x]}";
    const schemas = `{A: {type: object, properties: {b: ${reference}}}, W: {type: string, enum: [x, y]}}`;
    const [text = ''] = typesOf([contractOf(schemas)]);
    expect(/A: \{.*?\}/.exec(text)?.[0]).toBe("A: { b?: 'x' }");
  });

  it('leaves open what the contract leaves open as JSON, and a member with a default optional', () => {
    const schemas = `{A: {type: object, properties: {metadata: {type: object, additionalProperties: true}, value: {}, order: {type: string, default: asc}, headers: {type: object, additionalProperties: {type: string}}}}}`;
    const [text = ''] = typesOf([contractOf(schemas)]);
    expect(text).toContain('metadata?: JsonObject;');
    expect(text).toContain('value?: Json;');
    expect(text).toContain('order?: string;');
    expect(text).toContain('headers?: { [key: string]: string }');
    expect(text).not.toContain('unknown');
  });
});
