// What the built page says of its scripts. The policy admits scripts by hash and what those load ('strict-dynamic'). A script
// element of the page's own text may not import further files, so a short inline script adds the entry's element.
import { createHash } from 'node:crypto';

const nonce = '__CSP_NONCE__';
const base = '/console/';
/** The one Trusted Types policy of the page: it gives the address of the entry and nothing else. */
export const entryPolicy = 'console-entry';

/**
 * Takes the page that Vite wrote and how to read a file of the build. Gives the page with a loader in place of its entry
 * and a nonce on its styles, and the hashes of its scripts as the policy names them. Throws when it has not one entry.
 */
export function headOf(html, read) {
  const entries = [...html.matchAll(/<script\b[^>]*\bsrc="([^"]+)"[^>]*><\/script>/g)];
  if (entries.length !== 1 || html.match(/<script\b/g).length !== 1)
    throw new Error('the built page has not exactly one script');
  const [[tag, source]] = entries;
  const loader = loaderOf(source, hashOf(read(fileOf(source))));
  return {
    html: html
      .replace(tag, () => `<script>${loader}</script>`)
      .replace(/<link\b(?=[^>]*rel="stylesheet")/g, `<link nonce="${nonce}"`),
    scripts: [hashOf(loader)],
  };
}

function loaderOf(source, integrity) {
  return [
    `(()=>{const u=${JSON.stringify(source)},t=globalThis.trustedTypes,`,
    `e=document.createElement("script");`,
    `e.type="module";e.integrity=${JSON.stringify(integrity)};`,
    `e.src=t?t.createPolicy(${JSON.stringify(entryPolicy)},{createScriptURL:()=>u}).createScriptURL(""):u;`,
    `document.head.append(e)})()`,
  ].join('');
}

function hashOf(content) {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}

function fileOf(source) {
  if (!source.startsWith(base)) throw new Error(`${source} is not under ${base}`);
  return source.slice(base.length);
}
