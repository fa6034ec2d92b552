// Fetches what the engines need, once: Redis from Debian, the Kafka broker's jars from Maven.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const cache = join(dirname(dirname(here)), '.cache', 'engines');
const policy = '/usr/sbin/policy-rc.d';
const installTimeoutMs = 600_000;

function run(command, args, options = {}) {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: installTimeoutMs,
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (result.error) throw new Error(`${command} cannot run: ${result.error.message}`);
  if (result.status !== 0) {
    const tail = `${result.stdout}${result.stderr}`.trim().split('\n').slice(-20).join('\n');
    throw new Error(`${command} ${args.join(' ')} ended with ${result.status}\n${tail}`);
  }
  return result.stdout;
}

function found(command, args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** Installs some of Debian's packages without starting their services. */
export function installPackages(names) {
  const name = names.join(' ');
  if (!found('apt-get', ['--version']))
    throw new Error(`${name} is missing and there is no apt-get: install it by hand`);
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = (...args) => {
    const [command, ...rest] = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
    run(command, rest);
  };
  console.error(`installing ${name} (once)`);
  apt('update', '-q');
  // A policy of 101 keeps the package from starting its service.
  const ownPolicy = asRoot.length === 0 && !existsSync(policy);
  if (ownPolicy) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    apt('install', '-y', '-q', '--no-install-recommends', ...names);
  } finally {
    if (ownPolicy) rmSync(policy);
  }
}

/** Gives the command that runs Redis. */
export function installRedis() {
  if (found('redis-server', ['--version'])) return 'redis-server';
  installPackages(['redis-server']);
  if (!found('redis-server', ['--version'])) throw new Error('redis-server was installed but does not run');
  return 'redis-server';
}

/** Gives the path of a Chromium for the page specs; `SVC_CHROMIUM` names one that is elsewhere. */
export function installChromium() {
  const path = process.env.SVC_CHROMIUM ?? '/usr/bin/chromium';
  if (existsSync(path)) return path;
  installPackages(['chromium']);
  if (!existsSync(path)) throw new Error(`chromium was installed but is not at ${path}`);
  return path;
}

/**
 * Gives the class path of the broker; copies its jars to .cache/engines when they are not there. Needs Java 17 or
 * newer, and Maven the first time.
 */
export function installKafka() {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const version = Number(/version "(\d+)/.exec(java.stderr ?? '')?.[1] ?? 0);
  if (version < 17) throw new Error(`Kafka needs Java 17 or newer, found ${version || 'none'}`);
  const pom = join(here, 'kafka', 'pom.xml');
  const digest = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  const folder = join(cache, `kafka-${digest}`);
  if (!existsSync(folder)) {
    if (!found('mvn', ['--version'])) throw new Error('Maven (mvn) is needed once to fetch the Kafka broker');
    console.error('fetching the Kafka broker from Maven (once)');
    const partial = `${folder}.${process.pid}.part`;
    mkdirSync(partial, { recursive: true });
    try {
      run('mvn', [
        '-q',
        '-B',
        '-f',
        pom,
        'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies',
        '-DincludeScope=runtime',
        `-DoutputDirectory=${partial}`,
      ]);
      if (!existsSync(folder)) renameSync(partial, folder);
    } finally {
      rmSync(partial, { recursive: true, force: true });
    }
  }
  return join(folder, '*');
}
