import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { loadContract } from '@aos/platform';
import { builtinEntries } from './builtin-entries.js';
import { builtinOperations } from './builtin-operations.js';
import { ownSchema } from './contract-schemas.js';

const entries = new Map(builtinEntries(loadContract().document.components.schemas).map((entry) => [entry.name, entry]));
const engine = new Ajv2020({ strict: false });
addFormats.default(engine);

/** Whether an input fits what a built-in action takes. */
function fits(name: string, input: object): boolean {
  const schema = entries.get(name)?.input_schema;
  if (!schema) throw new Error(`no action ${name}`);
  return engine.compile(schema)(input);
}

describe('built-in actions', () => {
  it('R41: are these', () => {
    expect([...entries.keys()].sort()).toEqual([
      'svc.artifact.read',
      'svc.artifact.save',
      'svc.event.wait',
      'svc.interaction.cancel',
      'svc.interaction.get',
      'svc.interaction.list',
      'svc.interaction.open',
      'svc.interaction.respond',
      'svc.memory.forget',
      'svc.memory.recall',
      'svc.memory.remember',
      'svc.skill.invoke',
      'svc.table.delete_row',
      'svc.table.get',
      'svc.table.get_row',
      'svc.table.list',
      'svc.table.query_rows',
      'svc.table.save_row',
      'svc.table.search_rows',
    ]);
  });

  it('take the shapes of the contract, and nothing that goes beside them', () => {
    const asked = { kind: 'request_approval', title: 'Go?', target_user_ids: ['usr_a'] };
    expect(
      fits('svc.interaction.open', { ...asked, spec: { questions: [{ id: 'q', prompt: 'Go?', mode: 'confirm' }] } }),
    ).toBe(true);
    expect(fits('svc.interaction.open', { ...asked, consumer: { kind: 'none' } })).toBe(false);
    expect(
      fits('svc.interaction.open', { ...asked, spec: { questions: [{ id: 'q', prompt: 'Go?', mode: 'guess' }] } }),
    ).toBe(false);
    expect(
      fits('svc.interaction.respond', { interaction_id: 'iact_a', answers: [{ question_id: 'q', value: 'approved' }] }),
    ).toBe(true);
    expect(fits('svc.interaction.respond', { answers: [{ question_id: 'q' }] })).toBe(false);
    expect(fits('svc.memory.remember', { key: 'a b', content: 'x' })).toBe(false);
  });

  it('rule A32: each needs the permission of the operation that does the same', () => {
    expect(Object.keys(builtinOperations).sort()).toEqual([...entries.keys()].sort());
    const permissions = Object.entries(builtinOperations).map(([name, operation]) => [
      name,
      loadContract().operation(operation).permission,
    ]);
    expect(Object.fromEntries(permissions)).toMatchObject({
      'svc.table.query_rows': 'svc.resource.view',
      'svc.table.save_row': 'svc.resource.use',
      'svc.memory.remember': 'svc.resource.use',
      'svc.interaction.open': 'svc.resource.use',
      'svc.interaction.respond': 'svc.resource.view',
    });
  });

  it('say whether they change anything', () => {
    expect(entries.get('svc.table.get')).toMatchObject({ risk: 'low', annotations: { read_only: true } });
    expect(entries.get('svc.table.delete_row')).toMatchObject({ risk: 'high', annotations: { destructive: true } });
  });
});

it('a schema of the contract stands alone with what it refers to, itself too', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const schemas = {
    Tree: { type: 'object', 'x-tier': 1, properties: { leaf: ref('Leaf'), tree: ref('Tree'), left: {} } },
    Leaf: { type: 'string' },
  };
  expect(ownSchema(schemas, 'Tree', ['left'])).toEqual({
    type: 'object',
    additionalProperties: false,
    properties: { leaf: { $ref: '#/$defs/Leaf' }, tree: { $ref: '#/$defs/Tree' } },
    $defs: {
      Leaf: { type: 'string' },
      Tree: {
        type: 'object',
        properties: { leaf: { $ref: '#/$defs/Leaf' }, tree: { $ref: '#/$defs/Tree' }, left: {} },
      },
    },
  });
  expect(() => ownSchema(schemas, 'None')).toThrow('no schema None');
});
