// A Docker engine: the one that answers, else one of our own from Debian's packages, on a socket and in folders of its
// own.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages } from '../engines/install.mjs';
import { endProcess } from '../engines/engine.mjs';
import { run, succeeds, until } from './run.mjs';

const startMs = 180_000;
const hostDefault = 'unix:///var/run/docker.sock';

/** Why there can be no engine here; everything else that goes wrong is a fault. */
export class NoEngine extends Error {}

/**
 * A client that can build with BuildKit: Debian's is looked at first, some machines carry a shorter one in /usr/local.
 */
function client() {
  return ['/usr/bin/docker', 'docker'].find((path) => succeeds(path, ['--version'])) ?? null;
}

export class DockerEngine {
  #daemon = null;
  #folder = null;

  /** Takes the folder that keeps the images and layers of an engine of our own between runs. */
  constructor(dataRoot) {
    this.dataRoot = dataRoot;
  }

  get isOwn() {
    return this.#daemon !== null;
  }

  /** Finds an engine, or installs and starts one. Refuses with `NoEngine` where that is impossible. */
  async start() {
    const given = process.env.DOCKER_HOST ?? hostDefault;
    this.docker = client();
    if (this.docker && succeeds(this.docker, ['-H', given, 'info'])) {
      this.host = given;
    } else {
      if (process.platform !== 'linux' || process.getuid() !== 0)
        throw new NoEngine('no Docker engine answers, and starting one needs Linux and root');
      if (!existsSync('/usr/sbin/dockerd') || !succeeds('docker-compose', ['version'])) {
        if (!succeeds('apt-get', ['--version']))
          throw new NoEngine('no Docker engine answers, and there is no apt-get to install one');
        installPackages(['docker.io', 'docker-compose']);
      }
      this.docker = '/usr/bin/docker';
      await this.#startOwn();
    }
    this.compose = succeeds('docker-compose', ['version']) ? ['docker-compose'] : [this.docker, 'compose'];
    this.env = { ...process.env, DOCKER_HOST: this.host, DOCKER_BUILDKIT: '1' };
  }

  async #startOwn() {
    // Paths of sockets are short: they lie in the temporary folder.
    this.#folder = mkdtempSync(join(tmpdir(), 'aos-docker-'));
    mkdirSync(this.dataRoot, { recursive: true });
    this.host = `unix://${join(this.#folder, 'sock')}`;
    this.log = join(this.#folder, 'dockerd.log');
    const output = openSync(this.log, 'a');
    // It ends with this process, also when that is killed; and it refuses to start while another one has the same
    // images.
    const daemon = spawn(
      'setpriv',
      [
        '--pdeathsig',
        'TERM',
        '/usr/sbin/dockerd',
        '--data-root',
        this.dataRoot,
        '--exec-root',
        join(this.#folder, 'exec'),
        '--pidfile',
        `${this.dataRoot}.pid`,
        // Ports lead straight to their containers: a process that copies each connection by itself would turn the
        // order around in which an engine writes to two of them.
        '--userland-proxy=false',
        '-H',
        this.host,
        '--log-level',
        'warn',
      ],
      { stdio: ['ignore', output, output], detached: true },
    );
    closeSync(output);
    this.#daemon = daemon;
    let ended = null;
    daemon.once('exit', (code, signal) => {
      ended = signal ?? `code ${code}`;
    });
    daemon.once('error', (error) => {
      ended = error.message;
    });
    await until('the Docker engine answers', startMs, () => {
      if (ended !== null)
        throw new NoEngine(
          `dockerd ended with ${ended}\n${readFileSync(this.log, 'utf8').trim().split('\n').slice(-10).join('\n')}`,
        );
      return succeeds(this.docker, ['-H', this.host, 'info']);
    }).catch(async (error) => {
      await this.stop();
      throw error;
    });
    this.#clear();
  }

  /** What a run that was killed left in an engine of our own. */
  #clear() {
    const docker = (...args) => run(this.docker, ['-H', this.host, ...args]).trim();
    const left = docker('ps', '-aq');
    if (left !== '') docker('rm', '-f', '-v', ...left.split('\n'));
    docker('network', 'prune', '-f');
    docker('volume', 'prune', '-f');
  }

  run(...args) {
    return run(this.docker, args, { env: this.env }).trim();
  }

  hasImage(name) {
    return succeeds(this.docker, ['image', 'inspect', name], { env: this.env });
  }

  async stop() {
    if (this.#daemon && this.#daemon.exitCode === null && this.#daemon.signalCode === null) {
      const { pid } = this.#daemon;
      await endProcess(pid, () => this.#daemon.exitCode !== null || this.#daemon.signalCode !== null);
    }
    this.#daemon = null;
    if (this.#folder) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }
}
