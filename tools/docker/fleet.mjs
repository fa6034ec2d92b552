// The compose file's fleet: started, told to other programs, stopped.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../ports.mjs';
import { run, runBeside, until } from './run.mjs';

const root = join(import.meta.dirname, '..', '..');
const readyMs = 300_000;
const services = [
  'gateway',
  'access-service',
  'session-service',
  'blueprint-service',
  'interaction-service',
  'stream-service',
];

export class ComposedFleet {
  key = null;

  /** Takes a started engine, the image of the services and those of the engines. Nothing is pulled. */
  constructor(engine, { image, redis, kafka }) {
    this.engine = engine;
    this.project = `aos-test-${process.pid}`;
    this.models = mkdtempSync(join(tmpdir(), 'aos-models-'));
    this.modelHost = gatewayOf(engine);
    this.settings = {
      AOS_IMAGE: image,
      REDIS_IMAGE: redis,
      KAFKA_IMAGE: kafka,
      AOS_OTLP_SINK: join(import.meta.dirname, 'otlp-sink.mjs'),
      SVC_MODELS_FOLDER: this.models,
      AOS_HOST_NAME: hostname(),
      SVC_LOG_LEVEL: 'warn',
    };
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  #command(args) {
    const [command, ...first] = this.engine.compose;
    const files = ['docker/compose.yaml', 'docker/compose.twin.yaml', 'tools/docker/compose.made.yaml'].flatMap(
      (file) => ['-f', join(root, file)],
    );
    return [
      command,
      [...first, '-p', this.project, ...files, ...args],
      { env: { ...this.engine.env, ...this.settings } },
    ];
  }

  /**
   * Takes settings of the services; those of an earlier start stay. Resolves when the gateway and every service is
   * ready.
   */
  async start(settings = {}) {
    this.port ??= await freePort();
    const given = { ...settings };
    if (given.SVC_MODELS_FILE) {
      run('chmod', ['755', this.models]);
      copyFileSync(given.SVC_MODELS_FILE, join(this.models, 'models.yaml'));
      given.SVC_MODELS_FILE = '/models/models.yaml';
    }
    Object.assign(this.settings, given, { SVC_PORT: String(this.port), SVC_PUBLIC_URL: this.url });
    await runBeside(...this.#command(['up', '-d', '--no-build']));
    await until('every service of the compose file is ready', readyMs, () => this.#isReady());
    this.key ??= /export KEY=(\S+)/.exec(this.logs('access-service'))?.[1] ?? null;
    return null;
  }

  /** Asked at each container's own address; only the gateway's port is published. */
  async #isReady() {
    const ready = await Promise.all(
      services.map((program) =>
        fetch(`http://${this.#addressOf(program)}:8080/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
          (answer) => answer.ok,
          () => false,
        ),
      ),
    );
    return (
      ready.every(Boolean) &&
      fetch(`${this.url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      )
    );
  }

  #addressOf(program) {
    return this.engine.run(
      'inspect',
      '--format',
      '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
      this.containerOf(program),
    );
  }

  async untilHealthy() {
    const states = () =>
      services.map((program) =>
        this.engine.run('inspect', '--format', '{{.State.Health.Status}}', this.containerOf(program)),
      );
    await until('every container is healthy', readyMs, () => states().every((state) => state === 'healthy'));
  }

  /** Asked of the engine: docker-compose takes a second to say it. */
  containerOf(program) {
    const [label, service] = [
      `label=com.docker.compose.project=${this.project}`,
      `label=com.docker.compose.service=${program}`,
    ];
    return this.engine.run('ps', '-aq', '--filter', label, '--filter', service);
  }

  /** What an operator types before `org create` and the like. */
  get operatorCommand() {
    return [this.engine.docker, 'exec', this.containerOf('access-service'), 'node', 'start.mjs', 'svc'].join(' ');
  }

  logs(...programs) {
    return run(...this.#command(['logs', '--no-color', ...programs]));
  }

  /** Everything of it goes, its volumes too. Throws when a service did not end by itself. */
  async stop() {
    await runBeside(...this.#command(['stop']));
    const states = services.map((program) => [
      program,
      this.engine.run('inspect', '--format', '{{.State.ExitCode}}', this.containerOf(program)),
    ]);
    await this.remove();
    const killed = states.filter(([, code]) => code !== '0');
    if (killed.length > 0)
      throw new Error(`did not end by themselves: ${killed.map((each) => each.join(' with ')).join(', ')}`);
  }

  /**
   * Asked of the engine, each thing once: docker-compose 1.29 sometimes lists one container twice, removes it twice at
   * once and ends with 1; then the network keeps an endpoint of it.
   */
  async remove() {
    const ofProject = ['--filter', `label=com.docker.compose.project=${this.project}`];
    const listed = (...args) =>
      this.engine
        .run(...args, '-q', ...ofProject)
        .split('\n')
        .filter(Boolean);
    const containers = listed('ps', '-a');
    if (containers.length > 0) this.engine.run('rm', '-f', '-v', ...containers);
    const volumes = listed('volume', 'ls');
    if (volumes.length > 0) this.engine.run('volume', 'rm', ...volumes);
    for (const network of listed('network', 'ls')) {
      for (const endpoint of this.#endpointsOf(network))
        this.engine.run('network', 'disconnect', '-f', network, endpoint);
      this.engine.run('network', 'rm', network);
    }
    rmSync(this.models, { recursive: true, force: true });
  }

  #endpointsOf(network) {
    return this.engine
      .run('network', 'inspect', '--format', '{{range .Containers}}{{.Name}} {{end}}', network)
      .split(' ')
      .filter(Boolean);
  }

  /** The tour's service is closed by whoever started it. */
  close() {
    return Promise.resolve();
  }
}

/**
 * Where containers reach this machine. An engine that has just made its bridge names only the subnet: the gateway is
 * its first address.
 */
function gatewayOf(engine) {
  const [gateway, subnet] = engine
    .run('network', 'inspect', 'bridge', '--format', '{{with index .IPAM.Config 0}}{{.Gateway}}|{{.Subnet}}{{end}}')
    .split('|');
  return isIP(gateway) ? gateway : subnet.replace(/(\d+)\/\d+$/, (_, last) => String(Number(last) + 1));
}
