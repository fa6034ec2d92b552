// Writes the table of metrics into docs/OPERATIONS.md, or with --check compares it, and what the dashboard, the alerts
// and their runbooks name.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, 'docs', 'OPERATIONS.md');
const [BEGIN, END] = ['<!-- metrics -->', '<!-- end of metrics -->'];
const declarationPattern =
  /metrics\??\.(counter|gauge|histogram|observedGauges?|observedCounter)\(\s*'([a-z0-9_]+)',\s*'([^']+)'(?:,\s*(?:\[([^\]]*)\]|'([a-z_]+)'))?/g;
const reactorPattern = /stoppedGauge:\s*\{\s*name:\s*'([a-z0-9_]+)',\s*help:\s*'([^']+)'/g;
const requestPattern = /metrics\??\.(?:counter|gauge|histogram|observedGauges?|observedCounter)\(|stoppedGauge:\s*\{/g;
/** Process and runtime measures of prom-client, and what Prometheus itself says of a target. */
const foreign = /^(up|process_[a-z_]+|nodejs_[a-z0-9_]+)$/;
const suffixes = { histogram: ['_bucket', '_sum', '_count'] };
const words = new Set([
  'sum',
  'min',
  'max',
  'rate',
  'increase',
  'topk',
  'histogram_quantile',
  'by',
  'or',
  'and',
  'unless',
  'label_values',
  'le',
]);

function declared() {
  const found = new Map();
  let asked = 0;
  for (const file of globSync('{apps,libs}/*/src/**/*.ts', {
    cwd: root,
    exclude: (path) => String(path).endsWith('.spec.ts'),
  })) {
    const text = readFileSync(join(root, file), 'utf8');
    asked += text.match(requestPattern)?.length ?? 0;
    for (const [, name, help] of text.matchAll(reactorPattern))
      found.set(name, { name, type: 'gauge', help, labels: '' });
    for (const [, method, name, help, labels = '', label] of text.matchAll(declarationPattern)) {
      const type = method === 'observedCounter' ? 'counter' : method.startsWith('observed') ? 'gauge' : method;
      found.set(name, {
        name,
        type,
        help,
        labels: label ?? labels.replaceAll(/['\s]/g, '').split(',').filter(Boolean).join(', '),
      });
    }
  }
  if (found.size === 0 || asked !== found.size)
    throw new Error(`${asked} metrics are asked for, ${found.size} can be read: names and help must be plain text`);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const table = (metrics) =>
  [
    '| metric | type | labels | meaning |',
    '|---|---|---|---|',
    ...metrics.map(({ name, type, labels, help }) => `| \`${name}\` | ${type} | ${labels} | ${help} |`),
  ].join('\n');

/** Names in a query that could be metrics: what is left without texts, label lists and functions. */
function namesIn(query) {
  const bare = query
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|without)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/[a-z_][a-z0-9_]*/g)].map(([name]) => name).filter((name) => !words.has(name));
}

function faultsIn(metrics, text) {
  const known = new Set(
    metrics.flatMap(({ name, type }) => [name, ...(suffixes[type] ?? []).map((suffix) => name + suffix)]),
  );
  const headings = new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
  const faults = [];
  const check = (where, query) => {
    for (const name of namesIn(query))
      if (!known.has(name) && !foreign.test(name)) faults.push(`${where} asks for ${name}, which nobody measures`);
  };
  const { panels } = JSON.parse(readFileSync(join(root, 'deploy', 'observability', 'dashboard.json'), 'utf8'));
  for (const { title, targets } of panels) for (const { expr } of targets) check(`panel "${title}"`, expr);
  const rules = parse(readFileSync(join(root, 'deploy', 'observability', 'alerts.yaml'), 'utf8')).groups.flatMap(
    (group) => group.rules,
  );
  for (const { alert, expr, annotations } of rules) {
    check(`alert ${alert}`, expr);
    const [file, anchor] = (annotations?.runbook ?? '').split('#');
    if (file !== 'docs/OPERATIONS.md' || !headings.has(anchor)) faults.push(`alert ${alert} has no runbook`);
  }
  if (panels.length === 0 || rules.length === 0) faults.push('there is no panel or no rule');
  return faults;
}

const metrics = declared();
const text = readFileSync(page, 'utf8');
const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
if (begin < 0 || end < begin) throw new Error(`${page} has no place for the table`);
const written = `${text.slice(0, begin)}${BEGIN}\n\n${table(metrics)}\n\n${text.slice(end)}`;
const faults = faultsIn(metrics, text);
if (process.argv.includes('--check')) {
  if (written !== text)
    faults.push(
      'docs/OPERATIONS.md has another table of metrics: node tools/run.mjs tools/metrics-reference.mjs writes it',
    );
} else writeFileSync(page, written);
for (const fault of faults) console.error(fault);
console.log(`${metrics.length} metrics`);
process.exit(faults.length > 0 ? 1 : 0);
