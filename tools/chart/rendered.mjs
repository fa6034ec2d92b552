// What the rendered chart must be, held against the code: names, ports, paths, times.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const keyTexts = {
  SVC_MASTER_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  SVC_EVENTSTOREDB_URL: 'esdb://eventstore:2113?tls=false',
  SVC_REDIS_URL: 'redis://redis:6379',
  SVC_SEAL_KEYS: `s1:${Buffer.alloc(32, 8).toString('base64')}`,
  SVC_CURSOR_KEYS: `c1:${Buffer.alloc(32, 9).toString('base64')}`,
  SVC_BOOTSTRAP_OWNER_KEY: 'owner_00000000000000000000000000000000',
};
/** What operators ask inside the cluster only (rule G22). */
const inside = ['/healthz', '/readyz', '/metrics'];
const mebibyte = 1024 ** 2;

const services = [
  'gateway',
  'access-service',
  'session-service',
  'blueprint-service',
  'interaction-service',
  'stream-service',
];

/** Seed of a service; ci/full.yaml has the public keys of these. */
function seedText(key) {
  const place = services.indexOf(key.replace('SVC_IDENTITY_SEED.', ''));
  return place === -1 ? null : Buffer.alloc(32, place + 1).toString('base64');
}

export function must(condition, message) {
  if (!condition) throw new Error(message);
}

/** Stands for what a pod is told of itself. */
const podIp = '10.1.2.3';
const ofKind = (objects, kind) => objects.filter((object) => object.kind === kind);
const componentOf = (object) => object.metadata.labels['app.kubernetes.io/component'];
const containerOf = (deployment) => deployment.spec.template.spec.containers[0];
const matches = (selector, labels) => Object.entries(selector).every(([name, value]) => labels[name] === value);

/** A cluster's URL as the README shows it, its certificate where the folder stands for what is mounted. */
function clusterWith({ mountPath }, deployment, folder) {
  const { items } = deployment.spec.template.spec.volumes.find(({ name }) => name === 'event-store-ca').secret;
  for (const { path } of items) writeFileSync(join(folder, path), 'certificate');
  const [url] =
    /esdb:\/\/[^ `']+tlsCaFile=[^ `']+/.exec(readFileSync(join(root, 'deploy', 'chart', 'README.md'), 'utf8')) ?? [];
  must(
    url?.includes(`tlsCaFile=${mountPath}/`),
    `the README shows no URL of a cluster with a certificate in ${mountPath}`,
  );
  return url.replace(mountPath, folder);
}

/** The environment of a container, secrets written to a folder that `/run/secrets/aos` stands for. */
function environmentOf(objects, deployment, folder) {
  const env = {};
  for (const { configMapRef } of containerOf(deployment).envFrom)
    Object.assign(env, ofKind(objects, 'ConfigMap').find(({ metadata }) => metadata.name === configMapRef.name).data);
  for (const { name, value, valueFrom } of containerOf(deployment).env ?? [])
    env[name] = valueFrom?.fieldRef ? podIp : valueFrom ? 'from the secret' : value;
  for (const [name, value] of Object.entries(env))
    if (name.endsWith('_FILE') && value.startsWith('/run/secrets/aos/'))
      env[name] = value.replace('/run/secrets/aos', folder);
  const { items } = deployment.spec.template.spec.volumes.find(({ name }) => name === 'secrets').secret;
  for (const { key, path } of items)
    writeFileSync(join(folder, path), keyTexts[key] ?? seedText(key) ?? 'some secret text');
  const authority = containerOf(deployment).volumeMounts.find(({ name }) => name === 'event-store-ca');
  if (authority) writeFileSync(join(folder, 'SVC_EVENTSTOREDB_URL'), clusterWith(authority, deployment, folder));
  return env;
}

/** Takes the objects and the code's loadSettings, settingsTable: every service would start with what it is given. */
export function settingsAreTaken(objects, { loadSettings, serviceKeys, settingsTable }, providerKeys) {
  const names = new Set(Object.values(settingsTable).map(({ name }) => name));
  const secret = Object.values(settingsTable)
    .filter((setting) => setting.secret)
    .map(({ name }) => name);
  for (const map of ofKind(objects, 'ConfigMap'))
    for (const name of secret) must(!(name in map.data), `${map.metadata.name} shows ${name}`);
  for (const deployment of ofKind(objects, 'Deployment')) {
    const folder = mkdtempSync(join(tmpdir(), 'aos-chart-'));
    try {
      const env = environmentOf(objects, deployment, folder);
      for (const name of Object.keys(env)) {
        const known =
          names.has(name) ||
          names.has(name.replace(/_FILE$/, '')) ||
          providerKeys.includes(name) ||
          name.startsWith('NODE_');
        must(known, `${componentOf(deployment)} is given ${name}, which is no setting`);
      }
      serviceKeys(componentOf(deployment), loadSettings(env, 'fleet'));
      must(componentOf(deployment) !== 'gateway' || !('SVC_SEAL_KEYS_FILE' in env), 'the gateway can open secrets');
      for (const name of ['SVC_EVENTSTOREDB_URL', 'SVC_REDIS_URL'])
        must(env[name] || env[`${name}_FILE`], `${componentOf(deployment)} has no ${name}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/**
 * Every service of the code is deployed, runs its program, and is found by the others under the address they are told.
 */
export function servicesAreFound(objects, serviceNames) {
  const deployments = ofKind(objects, 'Deployment');
  const wanted = ['gateway', ...serviceNames].sort();
  must(
    JSON.stringify(deployments.map(componentOf).sort()) === JSON.stringify(wanted),
    `deployed: ${deployments.map(componentOf).join(', ')}`,
  );
  for (const deployment of deployments) {
    const [program] = containerOf(deployment).args;
    must(existsSync(join(root, 'apps', program, 'src', 'main.ts')), `there is no program ${program}`);
    const service = ofKind(objects, 'Service').find(
      (one) => componentOf(one) === componentOf(deployment) && one.spec.clusterIP === undefined,
    );
    must(
      service && matches(service.spec.selector, deployment.spec.template.metadata.labels),
      `no Service finds the pods of ${program}`,
    );
    must(
      matches(deployment.spec.selector.matchLabels, deployment.spec.template.metadata.labels),
      `${program} does not find its own pods`,
    );
  }
  const config = ofKind(objects, 'ConfigMap').find(({ data }) => data.SVC_GATEWAY_UPSTREAMS).data;
  const upstreams = JSON.parse(config.SVC_GATEWAY_UPSTREAMS);
  must(
    JSON.stringify(Object.keys(upstreams).sort()) === JSON.stringify([...serviceNames].sort()),
    `upstreams: ${Object.keys(upstreams).join(', ')}`,
  );
  for (const [name, address] of Object.entries(upstreams)) {
    const isByPod = address.startsWith('dns+');
    const { hostname, port } = new URL(address.replace(/^dns\+/, ''));
    const service = ofKind(objects, 'Service').find(({ metadata }) => metadata.name === hostname);
    must(
      service && componentOf(service) === name && service.spec.ports.some((one) => String(one.port) === port),
      `${name} is not at ${address}`,
    );
    must((service.spec.clusterIP === 'None') === isByPod, `${address} does not lead to the pods of ${name}`);
    const pod = containerOf(deployments.find((one) => componentOf(one) === name));
    const isKnown = pod.env.some(
      (one) => one.name === 'SVC_ADDRESS' && one.valueFrom.fieldRef.fieldPath === 'status.podIP',
    );
    must(isKnown === isByPod, `a pod of ${name} is known to others, or to none`);
  }
  for (const { spec, metadata } of [...ofKind(objects, 'PodDisruptionBudget'), ...ofKind(objects, 'NetworkPolicy')]) {
    const selector = (spec.selector ?? spec.podSelector).matchLabels;
    must(
      deployments.some((one) => matches(selector, one.spec.template.metadata.labels)),
      `${metadata.name} is for no pods`,
    );
  }
  for (const { spec } of ofKind(objects, 'HorizontalPodAutoscaler')) {
    const target = deployments.find(({ metadata }) => metadata.name === spec.scaleTargetRef.name);
    must(target && target.spec.replicas === undefined, `${spec.scaleTargetRef.name} is scaled by two`);
  }
}

/** Every rule of a policy says from where or where to. */
export function policiesNameEnds(objects) {
  for (const { metadata, spec } of ofKind(objects, 'NetworkPolicy')) {
    for (const peers of [...spec.ingress.map(({ from }) => from), ...spec.egress.map(({ to }) => to)]) {
      must(peers?.length > 0, `${metadata.name} has a rule for everything`);
      const isEmpty = (selector) => selector !== undefined && Object.keys(selector).length === 0;
      must(
        !peers.some(({ namespaceSelector, podSelector }) => isEmpty(namespaceSelector) || isEmpty(podSelector)),
        `${metadata.name} selects everything`,
      );
    }
  }
}

/** Who may speak to the Internet may so over both families of addresses, and to no private range of either. */
export function internetIsOpen(objects) {
  const ranges = { '0.0.0.0/0': '10.0.0.0/8', '::/0': 'fc00::/7' };
  for (const { metadata, spec } of ofKind(objects, 'NetworkPolicy')) {
    const component = metadata.labels['app.kubernetes.io/component'];
    if (component === 'gateway' || component === 'access-service') continue;
    const blocks = spec.egress.flatMap(({ to }) => to.map(({ ipBlock }) => ipBlock).filter(Boolean));
    for (const [whole, apart] of Object.entries(ranges))
      must(
        blocks.some(({ cidr, except }) => cidr === whole && except?.includes(apart)),
        `${metadata.name} does not let ${whole} out without ${apart}`,
      );
  }
}

/** The one print of the Owner's key is in the log of one of several pods. */
export function keyIsFound(notes, objects) {
  const [, selector] = / logs .*-l (\S+) \| grep KEY/.exec(notes) ?? [];
  must(selector && notes.includes('--tail=-1'), `the notes do not read the whole logs of all pods: ${notes}`);
  const wanted = Object.fromEntries(selector.split(',').map((pair) => pair.split('=')));
  const found = ofKind(objects, 'Deployment').filter((one) => matches(wanted, one.spec.template.metadata.labels));
  must(found.length === 1 && componentOf(found[0]) === 'access-service', `${selector} is not access-service`);
}

/** Each service may speak to a bucket on the open Internet: it does not start without. */
export function bucketIsReached(objects, endpoint) {
  const port = Number(new URL(endpoint).port || 443);
  for (const { metadata, spec } of ofKind(objects, 'NetworkPolicy'))
    must(
      spec.egress.some(({ to, ports }) => to.some(({ ipBlock }) => ipBlock) && ports.some((one) => one.port === port)),
      `${metadata.name} keeps its pods from ${endpoint}`,
    );
}

/** Probes ask what the contract has, on the port that the process listens on; a stop is given the time it takes. */
export function processesAreKept(objects, contract) {
  const source = readFileSync(join(root, 'libs/platform/src/http/app/start-app.ts'), 'utf8');
  const [grace, drain] = ['defaultGraceMs', 'drainMs'].map(
    (name) => Number(new RegExp(`const ${name} = ([\\d_]+)`).exec(source)?.[1].replaceAll('_', '')) / 1000,
  );
  must(grace > 0 && drain > 0, 'start-app.ts does not say how long a stop takes');
  const user = /^USER (\d+):/m.exec(readFileSync(join(root, 'docker', 'Dockerfile'), 'utf8'))?.[1];
  const config = ofKind(objects, 'ConfigMap').find(({ data }) => data.SVC_PORT).data;
  for (const deployment of ofKind(objects, 'Deployment')) {
    const { spec } = deployment.spec.template;
    const container = containerOf(deployment);
    const portOf = (name) => container.ports.find((port) => port.name === name).containerPort;
    must(
      String(portOf('http')) === config.SVC_PORT && String(portOf('metrics')) === config.SVC_METRICS_PORT,
      'ports are not those of the settings',
    );
    for (const [probe, path] of [
      ['startupProbe', '/healthz'],
      ['livenessProbe', '/healthz'],
      ['readinessProbe', '/readyz'],
    ]) {
      must(
        container[probe].httpGet.path === path && container[probe].httpGet.port === 'http',
        `${probe} asks ${container[probe].httpGet.path}`,
      );
      must(contract.paths[path]?.get, `the contract has no ${path}`);
    }
    const sleep = Number(container.lifecycle.preStop.exec.command[1]);
    must(
      spec.terminationGracePeriodSeconds > sleep + grace + drain,
      `${spec.terminationGracePeriodSeconds} s do not hold ${sleep} + ${drain} + ${grace} s`,
    );
    must(
      String(spec.securityContext.runAsUser) === user && spec.securityContext.runAsNonRoot,
      `the image's user is ${user}`,
    );
    const { readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = container.securityContext;
    must(
      readOnlyRootFilesystem && allowPrivilegeEscalation === false && capabilities.drop.includes('ALL'),
      'a container may do more than it needs',
    );
    must(spec.automountServiceAccountToken === false, 'a token is mounted');
    must(
      container.resources.requests?.cpu && container.resources.requests?.memory && container.resources.limits?.memory,
      'resources are missing',
    );
  }
}

/** From outside everything of the contract is reached but what operators ask inside. */
export function outsideIsRouted(objects, contract, { settingsTable }) {
  const routed = [
    ...ofKind(objects, 'Ingress').map(({ spec }) =>
      spec.rules[0].http.paths.map(({ path, pathType }) => ({ path, exact: pathType === 'Exact' })),
    ),
    ...ofKind(objects, 'HTTPRoute').map(({ spec }) =>
      spec.rules[0].matches.map(({ path }) => ({ path: path.value, exact: path.type === 'Exact' })),
    ),
  ];
  for (const paths of routed) {
    for (const path of Object.keys(contract.paths)) {
      const isRouted = paths.some(
        ({ path: match, exact }) => path === match || (!exact && path.startsWith(`${match}/`)),
      );
      must(isRouted !== inside.includes(path), `${path} is ${isRouted ? 'reached' : 'not reached'} from outside`);
    }
  }
  const { data: config } = ofKind(objects, 'ConfigMap').find(({ data }) => data.SVC_PORT);
  const heartbeat = Number(config.SVC_STREAM_HEARTBEAT_SECONDS ?? 15);
  const [outside] = [
    ...ofKind(objects, 'Ingress').map(({ spec }) => `${spec.tls ? 'https' : 'http'}://${spec.rules[0].host}`),
    ...ofKind(objects, 'HTTPRoute').flatMap(({ spec }) => (spec.hostnames ?? []).map((host) => `https://${host}`)),
  ].filter((origin) => !origin.includes('*'));
  must(config.SVC_PUBLIC_URL === outside, `callers are told ${config.SVC_PUBLIC_URL}, and come by ${outside}`);
  for (const { metadata } of ofKind(objects, 'Ingress')) {
    const told = (name) => metadata.annotations[`nginx.ingress.kubernetes.io/${name}`];
    must(told('proxy-buffering') === 'off' && told('proxy-http-version') === '1.1', 'streams are held back');
    must(Number(told('proxy-read-timeout')) > 2 * heartbeat, 'quiet streams are cut');
    const letIn = Number(/^(\d+)m$/.exec(told('proxy-body-size'))?.[1]) * mebibyte;
    const largest = Number(config.SVC_ARTIFACT_BYTES_MAX ?? settingsTable.artifactBytesMax.absent('fleet'));
    must(letIn >= largest + mebibyte, `files of ${largest} bytes are refused: the ingress lets in ${letIn}`);
  }
  for (const { spec } of ofKind(objects, 'HTTPRoute')) must(spec.rules[0].timeouts.request === '0s', 'streams are cut');
}

/** Topics are what stream-service would make. */
export function topicsAreTheCodes(objects, { sourceTopic, sessionTopic }, prefix) {
  const topics = ofKind(objects, 'KafkaTopic').map(({ spec }) => ({
    topic: spec.topicName,
    partitions: spec.partitions,
    retentionMs: Number(spec.config['retention.ms']),
  }));
  if (topics.length === 0) return;
  const inOrder = (list) =>
    JSON.stringify(
      [...list]
        .sort((one, other) => one.topic.localeCompare(other.topic))
        .map(({ topic, partitions, retentionMs }) => [topic, partitions, retentionMs]),
    );
  must(inOrder(topics) === inOrder([sourceTopic(prefix), sessionTopic(prefix)]), `topics are ${inOrder(topics)}`);
}

/** Rules and dashboards are taken along when they are asked for. */
export function isWatched(objects, { serviceMonitor, rules, dashboards } = {}) {
  const dashboardsMade = ofKind(objects, 'ConfigMap').filter(({ data }) =>
    Object.keys(data).some((name) => name.endsWith('.json')),
  );
  must(ofKind(objects, 'ServiceMonitor').length > 0 === Boolean(serviceMonitor?.enabled), 'ServiceMonitor');
  must(
    ofKind(objects, 'PrometheusRule').some(({ spec }) => spec.groups?.[0]?.rules?.length > 0) ===
      Boolean(rules?.enabled),
    'PrometheusRule',
  );
  must(dashboardsMade.length > 0 === Boolean(dashboards?.enabled), 'dashboards');
  for (const { data } of dashboardsMade) for (const text of Object.values(data)) JSON.parse(text);
  for (const { spec } of ofKind(objects, 'ServiceMonitor')) {
    for (const service of ofKind(objects, 'Service').filter(({ spec: { clusterIP } }) => clusterIP !== 'None')) {
      must(
        matches(spec.selector.matchLabels, service.metadata.labels) &&
          service.spec.ports.some(({ name }) => name === spec.endpoints[0].port),
        `${service.metadata.name} is not read`,
      );
    }
  }
}
