// The guide is whole: its made pages are what they are made from, its index links to every page, and every tag of the
// contract's operations is named in it.
import { parse } from 'yaml';
import { guideTables, made } from '../guide/tables.mjs';

const folder = 'docs/guide';
const index = `${folder}/README.md`;
const contractFile = 'contract/openapi.yaml';

export const name = 'guide';

export function check(workspace) {
  if (!workspace.has(index)) return [];
  const pages = workspace.glob(`${folder}/*.md`);
  const { pages: tables, faults } = guideTables(workspace);
  for (const [path, text] of tables) {
    if (!workspace.has(path) || workspace.read(path) !== text)
      faults.push({ where: path, what: 'is not what it is made from: node tools/run.mjs tools/guide-tables.mjs' });
  }
  const contents = workspace.read(index);
  for (const page of pages.filter((path) => path !== index)) {
    if (!contents.includes(`](${page.slice(folder.length + 1)})`))
      faults.push({ where: index, what: `does not link to ${page}` });
  }
  const written = pages.filter((path) => !Object.values(made).includes(path)).map(workspace.read);
  for (const tag of tagsOf(parse(workspace.read(contractFile)))) {
    if (!written.some((text) => text.includes(`\`${tag}\``)))
      faults.push({ where: folder, what: `names the operations \`${tag}\` nowhere` });
  }
  return faults;
}

function tagsOf({ paths }) {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  return new Set(operations.flatMap(({ tags }) => tags ?? []));
}
