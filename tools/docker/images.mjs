// Base images made on the spot, for machines that can pull none: Debian's packages, the Node that npm has, and the
// broker's jars.
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { installKafka, installPackages } from '../engines/install.mjs';
import { run, runBeside, succeeds } from './run.mjs';

const here = import.meta.dirname;
const root = join(here, '..', '..');
const debianRelease = 'bookworm';
const npmVersion = '11.6.2';
const leanly = ['doc', 'man', 'locale', 'info'].map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`);
/** What lies under each image; only these packages differ from a bare Debian. */
const bases = {
  slim: { packages: [], options: [...leanly, '--dpkgopt=path-include=/usr/share/doc/*/copyright'] },
  engines: { packages: ['redis-server', 'openjdk-17-jre-headless'], options: [] },
};

const digestOf = (...texts) => createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 12);

export class Images {
  /** Takes a started engine and the folder that keeps what was fetched. */
  constructor(engine, cache) {
    this.engine = engine;
    this.cache = cache;
  }

  /** Makes what is missing; gives the names: node, kafka, redis. */
  async make() {
    const imported = Object.keys(bases).map((name) => this.#import(name));
    const [node, kafka] = [this.#nodeFolder(), this.#kafkaFolder()];
    const settled = await Promise.allSettled(imported);
    const failed = settled.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
    const [slim, engines] = settled.map(({ value }) => value);
    return {
      node: this.#build('node', slim, node),
      kafka: this.#build('kafka', engines, kafka),
      redis: this.#build('redis', engines, join(here, 'images')),
    };
  }

  /** A bare Debian with some packages, as an image. */
  async #import(name) {
    const { packages, options } = bases[name];
    const image = `aos-made/${name}:${digestOf(debianRelease, ...packages, ...options)}`;
    if (this.engine.hasImage(image)) return image;
    if (!succeeds('mmdebstrap', ['--version'])) installPackages(['mmdebstrap']);
    mkdirSync(this.cache, { recursive: true });
    const tar = join(this.cache, `${name}-${digestOf(debianRelease, ...packages, ...options)}.tar`);
    if (!existsSync(tar)) {
      const partial = `${tar}.${process.pid}.part.tar`;
      const include = packages.length > 0 ? [`--include=${packages.join(',')}`] : [];
      try {
        await runBeside('mmdebstrap', ['--quiet', '--variant=minbase', ...options, ...include, debianRelease, partial]);
        renameSync(partial, tar);
      } finally {
        rmSync(partial, { force: true });
      }
    }
    await runBeside(this.engine.docker, ['import', tar, image], { env: this.engine.env });
    return image;
  }

  /** The Node of tools/runtime's lock and one version of npm, as the official image has them. */
  #nodeFolder() {
    const name = `node-linux-${process.arch}`;
    const { packages } = JSON.parse(readFileSync(join(root, 'tools', 'runtime', 'package-lock.json'), 'utf8'));
    const version = packages[`node_modules/${name}`]?.version;
    if (!version) throw new Error(`tools/runtime has no ${name}`);
    const folder = join(this.cache, `node-${version}-npm-${npmVersion}`);
    if (existsSync(folder)) return folder;
    const partial = `${folder}.${process.pid}.part`;
    mkdirSync(partial, { recursive: true });
    try {
      for (const file of ['package.json', 'package-lock.json'])
        copyFileSync(join(root, 'tools', 'runtime', file), join(partial, file));
      run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: partial });
      cpSync(join(partial, 'node_modules', name, 'bin', 'node'), join(partial, 'node'));
      for (const file of ['node_modules', 'package.json', 'package-lock.json'])
        rmSync(join(partial, file), { recursive: true });
      run('npm', [
        'install',
        '--prefix',
        partial,
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
        '--no-save',
        `npm@${npmVersion}`,
      ]);
      renameSync(partial, folder);
    } finally {
      rmSync(partial, { recursive: true, force: true });
    }
    return folder;
  }

  #kafkaFolder() {
    const jars = join(installKafka(), '..');
    const folder = join(this.cache, basename(jars));
    if (!existsSync(folder)) {
      const partial = `${folder}.${process.pid}.part`;
      cpSync(jars, join(partial, 'jars'), { recursive: true });
      renameSync(partial, folder);
    }
    copyFileSync(join(here, 'images', 'kafka.sh'), join(folder, 'kafka.sh'));
    return folder;
  }

  #build(name, base, context) {
    const file = join(here, 'images', `${name}.Dockerfile`);
    const image = `aos-made/${name}:test`;
    run(this.engine.docker, ['build', '--quiet', '--build-arg', `BASE=${base}`, '-f', file, '-t', image, context], {
      env: this.engine.env,
    });
    return image;
  }
}
