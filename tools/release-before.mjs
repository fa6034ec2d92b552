// Makes a build of the release before this one, for the tests of two releases side by side, and prints its folder: node
// tools/release-before.mjs. RELEASE_BEFORE names the folder of another build, which is taken as it is.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/**
 * The last commit without any event that is declared with `since`: what `SVC_WRITES=previous` keeps to. When a release
 * takes these marks away (ADR 42), its own commit stands here.
 */
const commit = '4cc6a86c90a53830715a81c13f522fcc3904d0e6';

/**
 * Gives the folder of a build, made once in `.cache`; null where the history of this project is not there, as in an
 * archive of it. It runs on the packages of this release. Throws when the build fails.
 */
export function releaseBefore() {
  const given = process.env.RELEASE_BEFORE?.trim();
  if (given) return resolve(given);
  const folder = join(root, '.cache', 'releases', commit.slice(0, 12));
  const build = join(folder, 'build');
  if (existsSync(folder)) return build;
  if (run('git', ['cat-file', '-e', `${commit}^{commit}`]).status !== 0) return null;
  mkdirSync(dirname(folder), { recursive: true });
  const made = mkdtempSync(`${folder}-`);
  try {
    make(made);
    renameSync(made, folder); // whole or not at all; another process may have been first
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
  }
  return build;
}

/** Puts the sources of the commit into the folder, and builds them there. */
function make(folder) {
  const env = { ...process.env, GIT_INDEX_FILE: join(folder, 'index') };
  must('git', ['read-tree', commit], env);
  must('git', ['checkout-index', '--all', `--prefix=${folder}/`], env);
  symlinkSync(relative(folder, join(root, 'node_modules')), join(folder, 'node_modules'));
  must(process.execPath, [join(folder, 'tools', 'build.mjs'), join(folder, 'build')]);
}

const run = (command, args, env = process.env) => spawnSync(command, args, { cwd: root, env, encoding: 'utf8' });

function must(command, args, env) {
  const { status, stderr, error } = run(command, args, env);
  if (status !== 0) throw new Error(`the release before does not build: ${error?.message ?? stderr}`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = releaseBefore();
  if (folder === null) {
    console.error(`the history of this project is not here: ${commit} is the release before`);
    process.exit(75);
  }
  console.log(folder);
}
