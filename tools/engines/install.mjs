// Fetches what the engines need, once: Redis from Debian, the Kafka broker's jars from Maven.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, versionOf } from './commands.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const cache = join(dirname(dirname(here)), '.cache', 'engines');
const policy = '/usr/sbin/policy-rc.d';
/** What the commands here print. */
const log = join(cache, 'install.log');

/** Installs some of Debian's packages without starting their services. */
export function installPackages(names) {
  const name = names.join(' ');
  if (versionOf('apt-get') === null) throw new Error(`${name} is missing and there is no apt-get: install it by hand`);
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = (...args) => {
    const [command, ...rest] = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
    run(command, rest, { log });
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
  if (versionOf('redis-server') !== null) return 'redis-server';
  installPackages(['redis-server']);
  if (versionOf('redis-server') === null) throw new Error('redis-server was installed but does not run');
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
  const version = Number(/version "(\d+)/.exec(versionOf('java', ['-version']) ?? '')?.[1] ?? 0);
  if (version < 17) throw new Error(`Kafka needs Java 17 or newer, found ${version || 'none'}`);
  const pom = join(here, 'kafka', 'pom.xml');
  const digest = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  const folder = join(cache, `kafka-${digest}`);
  if (!existsSync(folder)) {
    if (versionOf('mvn') === null) throw new Error('Maven (mvn) is needed once to fetch the Kafka broker');
    console.error('fetching the Kafka broker from Maven (once)');
    const partial = `${folder}.${process.pid}.part`;
    mkdirSync(partial, { recursive: true });
    try {
      const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';
      run('mvn', ['-q', '-B', '-f', pom, goal, '-DincludeScope=runtime', `-DoutputDirectory=${partial}`], { log });
      if (!existsSync(folder)) renameSync(partial, folder);
    } finally {
      rmSync(partial, { recursive: true, force: true });
    }
  }
  return join(folder, '*');
}
