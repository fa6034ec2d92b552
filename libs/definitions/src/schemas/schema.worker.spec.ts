import { Ajv2020 } from 'ajv/dist/2020.js';
import { meantFault } from './schema.worker.js';

const fault = (schema: object, value: unknown) => {
  const engine = new Ajv2020({ strict: false, allErrors: false, verbose: true });
  const validate = engine.compile(schema);
  if (validate(value)) throw new Error('it fits');
  const { path, message } = meantFault(validate.errors ?? [], schema as Record<string, unknown>);
  return `${path} ${message}`;
};
const shape = (kind: string, member: string, type = 'number') => ({
  type: 'object',
  required: [member, 'kind'],
  properties: { kind: { const: kind }, [member]: { type } },
});
const circle = shape('circle', 'radius');
const square = shape('square', 'side');

describe('rule G29: the fault of the form that was meant', () => {
  it.each<[string, object, unknown, string]>([
    [
      'the one whose constant member the value has',
      { oneOf: [circle, square] },
      { kind: 'square' },
      " must have required property 'side'",
    ],
    [
      'also behind a reference',
      { $defs: { circle, square }, anyOf: [{ $ref: '#/$defs/circle' }, { $ref: '#/$defs/square' }] },
      { kind: 'square', side: 'x' },
      '/side must be number',
    ],
    [
      'by type',
      {
        properties: {
          a: { oneOf: [{ type: 'string', minLength: 3 }, { type: 'array', items: { type: 'number' } }, circle] },
        },
      },
      { a: [1, 'x'] },
      '/a/1 must be number',
    ],
    [
      'in a union inside another',
      {
        anyOf: [
          { type: 'null' },
          { type: 'object', properties: { a: { oneOf: [circle, square] } } },
          { type: 'string' },
        ],
      },
      { a: { kind: 'circle', radius: true } },
      '/a/radius must be number',
    ],
    [
      'after a union that another form tried',
      {
        oneOf: [
          { type: 'object', required: ['kind'], properties: { kind: { const: 'x' }, b: { anyOf: [circle, square] } } },
          square,
        ],
      },
      { kind: 'square', b: 5 },
      " must have required property 'side'",
    ],
    [
      'with conditions inside a form',
      {
        oneOf: [{ ...circle, if: { required: ['radius'] }, then: { properties: { radius: { maximum: 5 } } } }, square],
      },
      { kind: 'circle', radius: 9 },
      '/radius must be <= 5',
    ],
    [
      'where no form can be told, the union itself',
      { oneOf: [circle, square] },
      { kind: 'star' },
      ' must match exactly one schema in oneOf',
    ],
    [
      'where two fit, the union itself',
      { oneOf: [{ type: 'object' }, circle] },
      { kind: 'circle', radius: 1 },
      ' must match exactly one schema in oneOf',
    ],
    [
      'without a union, the fault',
      { properties: { a: { type: 'object', required: ['b'] } } },
      { a: {} },
      "/a must have required property 'b'",
    ],
    [
      'of a list of known values',
      {
        oneOf: [
          { properties: { of: { enum: ['a', 'b'] }, n: { type: 'number' } } },
          { properties: { of: { enum: ['c'] }, n: { type: 'string' } } },
        ],
      },
      { of: 'c', n: 1 },
      '/n must be string',
    ],
  ])('%s', (_name, schema, value, expected) => expect(fault(schema, value)).toBe(expected));
});
