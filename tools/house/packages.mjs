// Packages of package.json that no file imports or names.

/** Packages whose code the compiler, npm or another tool finds by itself. */
const isFoundByName = (name) => name.startsWith('@types/');

/** Takes package.json, the lock file (or null) and all texts. Gives the packages named nowhere; peers are left out. */
export function unusedPackages(manifest, lock, texts) {
  const listed = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  const peers = peersOf(lock, listed);
  const searched = [...texts, ...Object.values(manifest.scripts ?? {})];
  return listed.filter((name) => {
    if (peers.has(name) || isFoundByName(name)) return false;
    const named = new RegExp(`['"]${escaped(name)}(?:/[^'"]*)?['"]|node_modules/${escaped(name)}/`);
    return !searched.some((text) => named.test(text));
  });
}

const escaped = (name) => name.replace(/[/.@-]/g, '\\$&');

/** What the listed packages need beside them. */
function peersOf(lock, listed) {
  const peers = new Set();
  for (const name of listed) {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = lock?.packages?.[`node_modules/${name}`] ?? {};
    for (const peer of Object.keys(peerDependencies)) if (!peerDependenciesMeta[peer]?.optional) peers.add(peer);
  }
  return peers;
}
