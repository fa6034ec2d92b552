// What the syntax trees of production say of classes, types and the sending of commands.
import ts from 'typescript';
import { parametersMax } from '../check/constructor-arity.mjs';
import { walk } from '../check/workspace.mjs';

/** Bases of the messages that a bus carries. */
const messageBases = ['Command', 'Query', 'CallerCommand'];
/** The one class that may hand a command to the port itself. */
const senderName = 'CommandSender';

const nodesOf = (checkout, see) => {
  for (const { path } of checkout.production) walk(checkout.tree(path), (node) => see(node, path));
};
const nameOf = (type) => type && ts.isTypeReferenceNode(type) && type.typeName.getText();
const baseOf = (node) =>
  node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)?.types[0]?.expression.getText();

/** Every class of production: name, path, base, and its own constructor's parameters as pairs of name and type. */
export function classesOf(checkout) {
  const classes = [];
  nodesOf(checkout, (node, path) => {
    if (!ts.isClassLike(node)) return;
    const constructor = node.members.find((member) => ts.isConstructorDeclaration(member) && member.body);
    const injected = (constructor?.parameters ?? []).map(({ name, type }) => [name.getText(), nameOf(type)]);
    classes.push({ name: node.name?.text ?? '', path, base: baseOf(node), node, injected });
  });
  return classes;
}

/** Classes whose constructor takes over 7 parameters, largest first. */
export function wideConstructors(classes) {
  return classes
    .filter(({ injected }) => injected.length > parametersMax)
    .sort((a, b) => b.injected.length - a.injected.length);
}

/** Classes that are messages of a bus: they extend Command, Query or CallerCommand, by one step or more. */
export function messageClasses(classes) {
  const baseByName = new Map(classes.map(({ name, base }) => [name, base]));
  const isMessage = (base, depth = 0) =>
    base !== undefined &&
    depth < classes.length &&
    (messageBases.includes(base) || isMessage(baseByName.get(base), depth + 1));
  return classes.filter(({ name, base }) => !messageBases.includes(name) && isMessage(base));
}

/** Places that cast through `unknown`. */
export function unknownCasts(checkout) {
  const places = [];
  nodesOf(checkout, (node, path) => {
    const isCast = ts.isAsExpression(node) && ts.isAsExpression(node.expression);
    if (isCast && node.expression.type.kind === ts.SyntaxKind.UnknownKeyword) places.push(path);
  });
  return places;
}

/** Places that give an opaque object where a type of the contract would do. */
export function opaquePromises(checkout) {
  const places = [];
  nodesOf(checkout, (node, path) => {
    if (nameOf(node) === 'Promise' && nameOf(node.typeArguments?.[0]) === 'JsonObject') places.push(path);
  });
  return places;
}

/** Takes the type of a receiver and a method. Gives the calls on a parameter of the class's constructor. */
function callsOn(classes, type, method) {
  return classes.flatMap((owner) => {
    const members = owner.injected.filter(([, given]) => given === type).map(([name]) => name);
    const calls = [];
    walk(owner.node, (node) => {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
      if (node.expression.name.text !== method) return;
      const receiver = node.expression.expression.getText().replace(/^this\./, '');
      if (members.includes(receiver)) calls.push({ owner, node });
    });
    return calls;
  });
}

/** Names of commands that are registered by a call instead of standing on a declaration. */
export function registeredNames(classes) {
  return callsOn(classes, 'CommandHandlers', 'register').map(({ node }) => node.arguments[0].getText());
}

/** Ways in which a command is sent, each with the classes that send so. A way without a sender is not there. */
export function waysToSend(classes) {
  const writers = new Set(
    ['run', 'decide'].flatMap((method) => callsOn(classes, 'Decisions', method).map(({ owner }) => owner.name)),
  );
  const gateway = callsOn(classes, 'CommandGateway', 'send').filter(({ owner }) => owner.name !== senderName);
  const calling = classes.filter(
    ({ path, injected }) => path.endsWith('.controller.ts') && injected.some(([, type]) => writers.has(type)),
  );
  return Object.entries({
    'CommandBus.execute': callsOn(classes, 'CommandBus', 'execute').map(({ owner }) => owner.name),
    'CommandGateway.send': gateway.map(({ owner }) => owner.name),
    'a method of a writing class, called by a controller': calling.map(({ name }) => name),
  }).filter(([, senders]) => senders.length > 0);
}

/** Classes that hold the bounded loop of a protocol of name claims, and files of functions in a folder `claims`. */
export function claimEngines(checkout, classes) {
  const textOf = new Map(checkout.production.map(({ path, text }) => [path, text]));
  const inClasses = classes.filter(({ path, node }) => hasBoundedLoop(node) && isAboutClaims(path, textOf.get(path)));
  const taken = new Set(inClasses.map(({ path }) => path));
  const inFiles = checkout.production.filter(
    ({ path }) => path.includes('/claims/') && !taken.has(path) && hasBoundedLoop(checkout.tree(path)),
  );
  return [...inClasses, ...inFiles.map(({ path }) => ({ name: path, path }))];
}

function isAboutClaims(path, text) {
  return /NameClaimed|\.claimName\b/.test(text) || path.includes('/claims/');
}

function hasBoundedLoop(node) {
  let isLooping = false;
  walk(node, (inner) => {
    isLooping ||= ts.isForStatement(inner) && inner.condition !== undefined;
  });
  return isLooping;
}
