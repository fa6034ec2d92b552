// What is made from other files: the settings in values.schema.json from the settings table, the table in the chart's
// README from values.yaml.
import { parse } from 'yaml';

/** Set by the chart itself from other values. */
export const chartsOwn = [
  'SVC_PORT',
  'SVC_HOST',
  'SVC_DATA_DIR',
  'SVC_METRICS_PORT',
  'SVC_GATEWAY_UPSTREAMS',
  'SVC_ADDRESS',
  'SVC_KAFKA_BROKERS',
  'SVC_LOG_PRETTY',
  'SVC_MODELS_FILE',
];
/** Each service has its own: `secrets.identitySeeds`. */
const perService = 'SVC_IDENTITY_SEED';
/** One of them is in the range of each setting that is a number. */
const triedNumbers = [1, 10, 60, 100, 3_600, 1_000_000, 1_000_000_000];

function takes(setting, text) {
  try {
    setting.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The number next to `taken`, on the way to `refused`, that a setting still takes. */
function lastTaken(setting, taken, refused) {
  let [inside, outside] = [taken, refused];
  while (Math.abs(outside - inside) > 1) {
    const between = Math.trunc((inside + outside) / 2);
    if (takes(setting, String(between))) inside = between;
    else outside = between;
  }
  return inside;
}

/** What a setting takes, found by asking it. */
function schemaOf(setting) {
  const description = setting.meaning;
  const some = triedNumbers.find((number) => takes(setting, String(number)));
  if (some !== undefined && !takes(setting, 'x') && !takes(setting, '1,1')) {
    const range = {
      type: 'integer',
      minimum: lastTaken(setting, some, -1),
      maximum: lastTaken(setting, some, Number.MAX_SAFE_INTEGER),
    };
    return takes(setting, 'off') ? { description, anyOf: [range, { const: 'off' }] } : { description, ...range };
  }
  if (takes(setting, 'on') && takes(setting, 'off') && !takes(setting, 'x'))
    return { description, anyOf: [{ type: 'boolean' }, { enum: ['on', 'off'] }] };
  const levels = ['debug', 'info', 'warn', 'error', 'silent'].filter((word) => takes(setting, word));
  if (levels.length > 0 && !takes(setting, 'x')) return { description, enum: levels };
  const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'].filter((word) => takes(setting, word));
  if (mechanisms.length > 0 && !takes(setting, 'x')) return { description, enum: mechanisms };
  return { description, type: 'string', minLength: 1 };
}

/** Takes the schema's text and the settings table; gives the schema's text with exactly the settings of the table. */
export function schemaPage(text, table) {
  const schema = JSON.parse(text);
  const settings = Object.values(table);
  schema.properties.settings.properties = Object.fromEntries(
    settings
      .filter(({ name, secret }) => !secret && !chartsOwn.includes(name))
      .map((setting) => [setting.name, schemaOf(setting)]),
  );
  schema.properties.secrets.properties.keys.items = {
    enum: settings.filter(({ name, secret }) => secret && name !== perService).map(({ name }) => name),
  };
  return `${JSON.stringify(schema, null, 1)}\n`;
}

/** Rows of values.yaml: each value with a comment that begins with `# --`. Throws for a value without one. */
function rowsOf(text) {
  const values = parse(text);
  const rows = [];
  const path = [];
  let told = null;
  for (const line of text.split('\n')) {
    const [, indent, comment] = /^( *)# -- (.*)$/.exec(line) ?? [];
    if (comment) {
      told = { depth: indent.length / 2, comment };
      continue;
    }
    const [, spaces, key] = /^( *)([A-Za-z][\w-]*):/.exec(line) ?? [];
    if (!key) continue;
    const depth = spaces.length / 2;
    path.splice(depth, path.length, key);
    if (told && told.depth === depth)
      rows.push({ path: path.join('.'), comment: told.comment, value: path.reduce((at, name) => at[name], values) });
    told = null;
  }
  const missing = undocumented(
    values,
    rows.map((row) => row.path),
  );
  if (missing.length > 0) throw new Error(`values.yaml does not say what these are: ${missing.join(', ')}`);
  return rows;
}

function undocumented(values, paths, prefix = '') {
  return Object.entries(values).flatMap(([key, value]) => {
    const path = `${prefix}${key}`;
    if (paths.includes(path)) return [];
    return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
      ? undocumented(value, paths, `${path}.`)
      : [path];
  });
}

const shown = (value) => `\`${JSON.stringify(value).replaceAll('|', '\\|')}\``;

/** Takes the README and values.yaml; gives the README with the table of all values between its marks. */
export function readmePage(readme, valuesText) {
  const table = [
    '| value | default | meaning |',
    '|---|---|---|',
    ...rowsOf(valuesText).map(
      ({ path, comment, value }) => `| \`${path}\` | ${shown(value)} | ${comment.replaceAll('|', '\\|')} |`,
    ),
  ].join('\n');
  const [begin, end] = ['<!-- values -->', '<!-- end of values -->'];
  if (!readme.includes(begin) || !readme.includes(end)) throw new Error('the README has no place for the values');
  return `${readme.slice(0, readme.indexOf(begin) + begin.length)}\n${table}\n${readme.slice(readme.indexOf(end))}`;
}
