// One word for one thing: names and words that this code gave up do not come back.
import ts from 'typescript';
import { walk } from './workspace.mjs';

const instead = new Map([
  ['Act', 'Actor'],
  ['actOf', 'actorOf'],
  ['serviceAct', 'serviceActor'],
  ['Door', 'RequestPipeline, or a name with gateway'],
  ['OperatorDoor', 'OperatorEndpoint'],
  ['Doorbell', 'ChangeNotifier'],
  ['FeedBell', 'FeedNotifier'],
  ['FrameRing', 'FrameBuffer'],
  ['rings', 'notifies'],
  ['rung', 'isNotified'],
  ['bell', 'notifier'],
  ['bells', 'notifiers'],
  ['Recent', 'GenerationalCache'],
  ['Passing', 'ShortLivedMap'],
  ['Turnstile', 'KnownStream.alone'],
  ['FairLine', 'FairQueue'],
  ['WorkBehind', 'BoundedPool'],
  ['inBatches', 'BoundedPool.map'],
  ['TurnPlaces', 'TurnSlots'],
  ['StepsAside', 'SlotReleasingToolbox'],
  ['TurnDispatch', 'TurnQueue'],
  ['leaveBehind', 'defer'],
  ['pickUp', 'takeDeferred'],
  ['HeldLeases', 'OwnedLeases'],
  ['HeldChange', 'BlueprintLock'],
  ['MissingHolders', 'SilentOwners'],
  ['Sighting', 'LastProgress'],
  ['NameStanding', 'ClaimStatus'],
  ['Begun', 'PendingCreate'],
  ['Preparations', 'SigningSecrets'],
  ['tells', 'publishes'],
  ['toldChange', 'changeEntry'],
  ['Openings', 'FirstEventCache'],
  ['SessionOpenings', 'SessionTargets'],
  ['handOn', 'reassignPendingInputs'],
  ['looseRow', 'rowOutsideTurns'],
  ['Doing', 'ChangeStamp'],
  ['farewell', 'closingFrame'],
  ['restless', 'needsUpkeep'],
  ['life', 'incarnation'],
  ['place', 'index, position or cursor'],
  ['places', 'indexes, positions or cursors'],
]);
const wireSuffix = /^\w+OnWire$/;
const commentWords = /\b(doors?|doorbells?|bells?|turnstiles?|farewells?|restless|borne)\b/i;

export const name = 'words';

export function check({ files }) {
  const faults = [];
  for (const file of files) {
    if (file.isTest) continue;
    const seen = new Set();
    walk(file.tree, (node) => {
      const given = declaredName(node);
      if (!given || seen.has(given)) return;
      const better = instead.get(given) ?? (wireSuffix.test(given) ? given.replace(/OnWire$/, 'Wire') : undefined);
      if (!better) return;
      seen.add(given);
      faults.push({ where: `${file.path}#${given}`, what: `is named ${better} here` });
    });
    if (commentWords.test(file.text)) faults.push(...wordsInComments(file));
  }
  return faults;
}

/** Names that a file gives itself; members of object literals may be stored or sent and are not looked at. */
function declaredName(node) {
  const isDeclaration =
    ts.isClassLike(node) ||
    ts.isFunctionLike(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isBindingElement(node);
  return isDeclaration && node.name && ts.isIdentifier(node.name) ? node.name.text : undefined;
}

function wordsInComments(file) {
  const ranges = new Map();
  const visit = (node) => {
    for (const range of ts.getLeadingCommentRanges(file.text, node.pos) ?? []) ranges.set(range.pos, range.end);
    for (const range of ts.getTrailingCommentRanges(file.text, node.end) ?? []) ranges.set(range.pos, range.end);
    for (const child of node.getChildren(file.tree)) visit(child);
  };
  visit(file.tree);
  return [...ranges].flatMap(([from, to]) => {
    const [word] = file.text.slice(from, to).match(commentWords) ?? [];
    if (!word) return [];
    const { line } = file.tree.getLineAndCharacterOfPosition(from);
    return [{ where: `${file.path}#${word}`, what: `the comment at line ${line + 1} has an old word` }];
  });
}
