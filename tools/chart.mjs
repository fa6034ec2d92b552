// Tests the Helm chart: npm run test:chart. With --write it makes the settings in values.schema.json and the README's
// table of values instead. Where helm or the schemas cannot be fetched it says so; that is a failure when CI is set.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { build } from './build.mjs';
import { install } from './chart/install.mjs';
import { readmePage, schemaPage } from './chart/pages.mjs';
import {
  bucketIsReached,
  internetIsOpen,
  isWatched,
  keyIsFound,
  must,
  outsideIsRouted,
  policiesNameEnds,
  processesAreKept,
  servicesAreFound,
  settingsAreTaken,
  topicsAreTheCodes,
} from './chart/rendered.mjs';
import { run } from './docker/run.mjs';

const root = join(import.meta.dirname, '..');
const chart = join(root, 'deploy', 'chart');
const kubernetes = ['1.35.0', '1.37.0'];
/** Files of values that are rendered, and what the README shows. */
const sets = ['minimal', 'trial', 'full', 'wildcard', 'README'];
const tally = { passed: 0, failed: 0 };
const read = (...path) => readFileSync(join(chart, ...path), 'utf8');

function holds(what, check) {
  try {
    check();
    tally.passed += 1;
    console.log(`ok    ${what}`);
  } catch (error) {
    tally.failed += 1;
    console.log(`FAIL  ${what}\n${error.message}`);
  }
}

/** The parts of the code that the chart repeats. */
async function loadCode() {
  const dist = join(root, 'dist', `chart-${process.pid}`);
  await build(dist, { bundled: false });
  const require = createRequire(import.meta.url);
  const load = (file) => require(join(dist, 'libs', file));
  const code = {
    ...load('platform/src/settings/index.js'),
    ...load('platform/src/keys/index.js'),
    ...load('gateway/src/routing/services.js'),
    ...load('events/src/relay/records.js'),
  };
  rmSync(dist, { recursive: true, force: true });
  return code;
}

function write(code) {
  writeFileSync(join(chart, 'values.schema.json'), schemaPage(read('values.schema.json'), code.settingsTable));
  writeFileSync(join(chart, 'README.md'), readmePage(read('README.md'), read('values.yaml')));
}

function made(code) {
  holds('the schema names the settings of the code', () => {
    must(
      schemaPage(read('values.schema.json'), code.settingsTable) === read('values.schema.json'),
      'run: node tools/run.mjs tools/chart.mjs --write',
    );
  });
  holds('the README names every value', () => {
    must(
      readmePage(read('README.md'), read('values.yaml')) === read('README.md'),
      'run: node tools/run.mjs tools/chart.mjs --write',
    );
  });
}

/** Gives what kubeconform says of objects, as text. */
function conforms(tools, version, input) {
  const told = spawnSync(
    tools.kubeconform,
    [
      '-strict',
      '-summary',
      '-kubernetes-version',
      version,
      ...tools.locations.flatMap((location) => ['-schema-location', location]),
      '-',
    ],
    { input, encoding: 'utf8' },
  );
  return `${told.stdout}${told.stderr}`;
}

/** That nothing was refused means something only if this is. */
function schemasRefuse(tools) {
  const wrong = [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 'many' }] } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'b' },
      spec: { replicas: 1, replicaz: 1, selector: {}, template: {} },
    },
    { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name: 'c' }, spec: { rulez: [] } },
    {
      apiVersion: 'kafka.strimzi.io/v1',
      kind: 'KafkaTopic',
      metadata: { name: 'd', labels: { 'strimzi.io/cluster': 'x' } },
      spec: { partitions: 0, replicas: 1 },
    },
  ];
  for (const version of kubernetes) {
    holds(`the schemas of Kubernetes ${version} refuse what is wrong`, () => {
      const told = conforms(tools, version, wrong.map((object) => JSON.stringify(object)).join('\n---\n'));
      must(told.includes(`Valid: 0, Invalid: ${wrong.length}, Errors: 0`), told);
    });
  }
}

/** The text that an installation ends with: `helm template` leaves it out, so an object of a copy takes it along. */
function notesOf(tools, values) {
  const folder = mkdtempSync(join(tmpdir(), 'aos-chart-'));
  cpSync(chart, folder, { recursive: true, dereference: true });
  const notes = '{{ include (print $.Template.BasePath "/NOTES.txt") . | toJson }}';
  writeFileSync(join(folder, 'templates', 'notes.yaml'), `kind: Notes\ntext: ${notes}\n`);
  try {
    const args = ['template', 'aos', folder, '-n', 'agents', '--kube-version', kubernetes[0], '-f', values];
    return parse(run(tools.helm, [...args, '--show-only', 'templates/notes.yaml'])).text;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rendered(tools, code, contract, set) {
  const folder = mkdtempSync(join(tmpdir(), 'aos-chart-'));
  const values = join(folder, `${set}.yaml`);
  const shown = set === 'README' ? shownValues(read('README.md')) : read('ci', `${set}.yaml`);
  writeFileSync(values, shown);
  const given = parse(shown);
  let [text, notes] = ['', ''];
  holds(`${set}: helm lints and renders it`, () => {
    run(tools.helm, ['lint', '--strict', '--quiet', '--kube-version', kubernetes[0], chart, '-f', values]);
    text = run(tools.helm, ['template', 'aos', chart, '-n', 'agents', '--kube-version', kubernetes[0], '-f', values]);
  });
  holds(`${set}: its notes are rendered`, () => {
    notes = notesOf(tools, values);
  });
  rmSync(folder, { recursive: true, force: true });
  if (text === '') return;
  for (const version of kubernetes) {
    holds(`${set}: Kubernetes ${version} takes it`, () => {
      const told = conforms(tools, version, text);
      must(/Invalid: 0, Errors: 0, Skipped: 0/.test(told), told);
    });
  }
  const objects = parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter(Boolean);
  holds(`${set}: every service takes its settings`, () => {
    settingsAreTaken(objects, code, given.secrets.providerKeys ?? []);
  });
  holds(`${set}: services are found`, () => {
    servicesAreFound(objects, code.serviceNames);
  });
  holds(`${set}: probes, shutdown and rights`, () => {
    processesAreKept(objects, contract);
  });
  holds(`${set}: what is reached from outside`, () => {
    outsideIsRouted(objects, contract, code);
  });
  holds(`${set}: policies name both ends`, () => {
    policiesNameEnds(objects);
  });
  if (given.networkPolicy?.enabled !== false)
    holds(`${set}: the Internet is open over IPv4 and IPv6`, () => {
      internetIsOpen(objects);
    });
  if (!given.secrets.keys.includes('SVC_BOOTSTRAP_OWNER_KEY'))
    holds(`${set}: the notes lead to the Owner's key`, () => {
      keyIsFound(notes, objects);
    });
  if (set === 'README')
    holds(`${set}: the bucket is reached`, () => {
      bucketIsReached(objects, given.settings.SVC_S3_ENDPOINT);
    });
  holds(`${set}: what is watched`, () => {
    isWatched(objects, given.monitoring);
  });
  holds(`${set}: topics`, () => {
    topicsAreTheCodes(objects, code, given.settings?.SVC_TOPIC_PREFIX ?? 'svc');
  });
}

/** The values that the README installs with. */
function shownValues(page) {
  return /^```yaml\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '';
}

/** Lays one tree over another; null takes a value away, as in Helm. */
function over(under, upper) {
  if (
    typeof upper !== 'object' ||
    upper === null ||
    Array.isArray(upper) ||
    typeof under !== 'object' ||
    under === null
  )
    return upper;
  const merged = { ...under };
  for (const [key, value] of Object.entries(upper)) {
    if (value === null) delete merged[key];
    else merged[key] = over(merged[key], value);
  }
  return merged;
}

function refused(tools) {
  const folder = mkdtempSync(join(tmpdir(), 'aos-chart-'));
  const minimal = parse(read('ci', 'minimal.yaml'));
  for (const { says, values } of parse(read('ci', 'refused.yaml'))) {
    holds(`refused: ${JSON.stringify(values)}`, () => {
      const file = join(folder, 'values.yaml');
      writeFileSync(file, JSON.stringify(over(minimal, values)));
      const { status, stderr } = spawnSync(
        tools.helm,
        ['template', 'aos', chart, '--kube-version', kubernetes[0], '-f', file],
        { encoding: 'utf8' },
      );
      must(status !== 0, 'it was taken');
      must(new RegExp(says).test(stderr.replaceAll(folder, '')), stderr);
    });
  }
  rmSync(folder, { recursive: true, force: true });
}

const code = await loadCode();
if (process.argv.includes('--write')) {
  write(code);
} else {
  let tools = null;
  try {
    tools = install(kubernetes);
  } catch (error) {
    console.log(`helm, kubeconform or the schemas cannot be fetched: ${error.message}`);
    if (process.env.CI) tally.failed += 1;
  }
  made(code);
  if (tools) {
    console.log(
      `helm ${run(tools.helm, ['version', '--short']).trim()}, kubeconform ${run(tools.kubeconform, ['-v']).trim()}`,
    );
    const contract = parse(readFileSync(join(root, 'contract', 'openapi.yaml'), 'utf8'));
    schemasRefuse(tools);
    for (const set of sets) rendered(tools, code, contract, set);
    refused(tools);
  }
  console.log(
    `Tests: ${tally.failed > 0 ? `${tally.failed} failed, ` : ''}${tally.passed} passed, ${tally.passed + tally.failed} total`,
  );
  process.exit(tally.failed > 0 ? 1 : 0);
}
