// Compares a grown contract with the one it grew from: everything given is there, unchanged but for descriptions.

/** Keywords that narrow what a schema takes: adding one to a schema that was given refuses what was taken before. */
const narrowing = new Set([
  'type',
  'enum',
  'const',
  'pattern',
  'format',
  'required',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'allOf',
  'oneOf',
  'anyOf',
  'if',
  'then',
  'else',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
]);
/** Members that map names to schemas: their keys are names and no keywords. */
const maps = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'schemas',
  'responses',
  'parameters',
  'headers',
  'paths',
  'x-error-catalog',
]);

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Takes both documents as parsed; gives one line for each thing that is gone or changed, with its JSON pointer. */
export function contractFaults(given, own, path = '') {
  if (Array.isArray(given)) return Array.isArray(own) ? listFaults(given, own, path) : [`${path || '/'} changed`];
  if (!isObject(given)) return given === own ? [] : [`${path || '/'} changed`];
  if (!isObject(own)) return [`${path || '/'} changed`];
  const name = path.slice(path.lastIndexOf('/') + 1);
  const faults = Object.entries(given).flatMap(([key, value]) => {
    const here = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!Object.hasOwn(own, key)) return [`${here} is gone`];
    return key === 'description' && typeof value === 'string' ? [] : contractFaults(value, own[key], here);
  });
  if (maps.has(name)) return faults;
  return [
    ...faults,
    ...Object.keys(own)
      .filter((key) => !Object.hasOwn(given, key) && narrowing.has(key))
      .map((key) => `${path}/${key} narrows what was given`),
  ];
}

/** Lists may grow, in any order, but for `required`; a parameter that is added must be optional. */
function listFaults(given, own, path) {
  const gone = given.flatMap((item, n) =>
    own.some((other) => contractFaults(item, other, `${path}/${n}`).length === 0)
      ? []
      : [`${path}/${n} is gone or changed`],
  );
  if (path.endsWith('/required') && own.length !== given.length) return [...gone, `${path} changed`];
  if (!path.endsWith('/parameters')) return gone;
  const added = own.filter(
    (item) =>
      item.required === true &&
      !given.some((other) => other.name === item.name && other.in === item.in && other.$ref === item.$ref),
  );
  return [...gone, ...added.map((item) => `${path}: ${item.name} is new and required`)];
}
