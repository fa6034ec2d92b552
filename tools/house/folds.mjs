// Which kinds of streams fold their state by changing it. A fold changes its state when it writes a member of the state
// or of something reached from it, or hands either to a function that does.
import ts from 'typescript';
import { walk } from '../check/workspace.mjs';
import { resolveImport } from './sources.mjs';

const changingMethods = new Set([
  ...['set', 'add', 'delete', 'clear', 'push', 'pop', 'shift', 'unshift', 'splice'],
  ...['sort', 'reverse', 'fill', 'copyWithin'],
]);
/** Methods that give a part of what they are called on, and those that give a new list of such parts. */
const reaching = new Set(['get', 'at', 'find', 'findLast']);
const listing = new Set([
  'values',
  'entries',
  'filter',
  'slice',
  'concat',
  'toSorted',
  'toReversed',
  'toSpliced',
  'with',
]);
const perElement = new Set(['forEach', 'map', 'filter', 'find', 'flatMap', 'some', 'every']);

/** Takes a checkout. Gives each kind of stream: its category, its path, and whether its fold changes the state. */
export function foldedKinds(checkout) {
  const analysis = new Analysis(checkout);
  const kinds = [];
  for (const { path } of checkout.production)
    walk(checkout.tree(path), (node) => {
      const category = ts.isObjectLiteralExpression(node) ? categoryOf(node) : null;
      if (category === null) return;
      const evolve = analysis.evolveOf(node, path);
      if (evolve) kinds.push({ category, path, isChanging: analysis.changes(evolve, 0) });
    });
  return kinds;
}

const memberOf = (literal, name) => literal.properties.find((member) => member.name?.getText() === name);

/** The literal of a kind has a category in words, and events. */
function categoryOf(literal) {
  const category = memberOf(literal, 'category');
  if (!category || !ts.isPropertyAssignment(category) || !ts.isStringLiteral(category.initializer)) return null;
  return memberOf(literal, 'events') ? category.initializer.text : null;
}

class Analysis {
  constructor(checkout) {
    this.checkout = checkout;
    this.declarations = new Map();
    this.changing = new Map();
    this.giving = new Map();
  }

  /** The fold in the literal itself, or in the literal that the called factory gives. */
  evolveOf(literal, path) {
    const own = this.functionIn(literal, 'evolve', path);
    if (own || !ts.isCallExpression(literal.parent)) return own;
    const factory = this.declared(path, literal.parent.expression.getText());
    let found = null;
    if (factory)
      walk(factory.node, (node) => {
        if (!found && ts.isObjectLiteralExpression(node)) found = this.functionIn(node, 'evolve', factory.path);
      });
    return found;
  }

  functionIn(literal, name, path) {
    const member = memberOf(literal, name);
    if (!member) return null;
    if (ts.isMethodDeclaration(member)) return { node: member, path };
    if (ts.isShorthandPropertyAssignment(member)) return this.declared(path, name);
    return this.functionAt(member.initializer, path);
  }

  functionAt(node, path) {
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return { node, path };
    if (ts.isIdentifier(node)) return this.declared(path, node.text);
    if (!ts.isPropertyAccessExpression(node) || !ts.isIdentifier(node.expression)) return null;
    const holder = this.declared(path, node.expression.text);
    const literal = holder && (ts.isCallExpression(holder.node) ? holder.node.arguments[0] : holder.node);
    return literal && ts.isObjectLiteralExpression(literal)
      ? this.functionIn(literal, node.name.text, holder.path)
      : null;
  }

  /** A function or constant by its name in a file, followed through one import. */
  declared(path, name) {
    const { own, imported } = this.scopeOf(path);
    if (own.has(name)) return { node: own.get(name), path };
    const from = imported.get(name);
    const target = from && resolveImport(this.checkout, path, from.module);
    return target ? this.declared(target, from.name) : null;
  }

  scopeOf(path) {
    if (this.declarations.has(path)) return this.declarations.get(path);
    const scope = { own: new Map(), imported: new Map() };
    this.declarations.set(path, scope);
    for (const statement of this.checkout.tree(path).statements) {
      if (ts.isFunctionDeclaration(statement) && statement.body) scope.own.set(statement.name?.text, statement);
      if (ts.isVariableStatement(statement))
        for (const { name, initializer } of statement.declarationList.declarations)
          if (initializer) scope.own.set(name.getText(), initializer);
      if (ts.isImportDeclaration(statement))
        for (const { name, propertyName } of statement.importClause?.namedBindings?.elements ?? [])
          scope.imported.set(name.text, { module: statement.moduleSpecifier.text, name: (propertyName ?? name).text });
    }
    return scope;
  }

  /** Whether the function changes what its parameter at this index holds. A recursive call adds nothing. */
  changes(fn, index) {
    return this.judged(this.changing, fn, index, (judge) => judge.isChanging());
  }

  /** Whether the function gives its parameter at this index, or a part of it. */
  gives(fn, index) {
    return this.judged(this.giving, fn, index, (judge) => judge.isGiving());
  }

  judged(known, fn, index, ask) {
    const answers = known.get(fn.node) ?? known.set(fn.node, new Map()).get(fn.node);
    if (!answers.has(index)) {
      answers.set(index, false);
      const parameter = fn.node.parameters?.[index];
      answers.set(index, parameter !== undefined && ask(new Judge(this, fn, parameter)));
    }
    return answers.get(index);
  }
}

/**
 * One function, and what in it stands for one parameter. A part is the parameter or something reached from it: writing
 * a member of a part changes the state. A copy is a new object, list or map that holds parts: writing its own members
 * changes nothing.
 */
class Judge {
  constructor(analysis, fn, parameter) {
    this.analysis = analysis;
    this.fn = fn;
    this.parts = new Set();
    this.copies = new Map();
    this.bind(parameter.name);
    for (let size = -1; size !== this.parts.size + this.copies.size;) {
      size = this.parts.size + this.copies.size;
      walk(fn.node, (node) => this.follow(node));
    }
  }

  bind(name) {
    if (ts.isIdentifier(name)) this.parts.add(name.text);
    else for (const element of name.elements) if (element.name) this.bind(element.name);
  }

  follow(node) {
    if (ts.isVariableDeclaration(node) && node.initializer) this.followDeclaration(node);
    if (ts.isForOfStatement(node) && this.holdsParts(node.expression) && ts.isVariableDeclarationList(node.initializer))
      this.bind(node.initializer.declarations[0].name);
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    const [callback] = node.arguments;
    const isEach = perElement.has(node.expression.name.text) && this.holdsParts(node.expression.expression);
    if (isEach && callback && ts.isArrowFunction(callback) && callback.parameters[0])
      this.bind(callback.parameters[0].name);
  }

  followDeclaration({ name, initializer }) {
    if (this.isPart(initializer)) this.bind(name);
    const copy = this.copyAt(initializer);
    if (copy && ts.isIdentifier(name)) this.copies.set(name.text, copy);
  }

  holdsParts(node) {
    return this.isPart(node) || this.copyAt(node) !== null;
  }

  isPart(node) {
    if (ts.isIdentifier(node)) return this.parts.has(node.text);
    if (ts.isPropertyAccessExpression(node))
      return this.isPart(node.expression) || this.isPartOfCopy(node.expression, node.name.text);
    if (ts.isElementAccessExpression(node)) return this.isPart(node.expression) || this.isPartOfCopy(node.expression);
    if (ts.isNonNullExpression(node) || ts.isParenthesizedExpression(node) || ts.isAsExpression(node))
      return this.isPart(node.expression);
    if (ts.isConditionalExpression(node)) return this.isPart(node.whenTrue) || this.isPart(node.whenFalse);
    if (ts.isBinaryExpression(node)) return this.isPart(node.left) || this.isPart(node.right);
    return ts.isCallExpression(node) && this.isPartGiven(node);
  }

  isPartGiven(call) {
    const { expression } = call;
    if (ts.isPropertyAccessExpression(expression) && reaching.has(expression.name.text))
      return this.holdsParts(expression.expression);
    const called = this.analysis.functionAt(expression, this.fn.path);
    return (
      called !== null && call.arguments.some((given, index) => this.isPart(given) && this.analysis.gives(called, index))
    );
  }

  isPartOfCopy(node, member) {
    const copy = this.copyAt(node);
    return copy !== null && (copy.members.get(member) ?? copy.holdsOthers);
  }

  /** A new object or list that holds parts: which named members are parts, and whether the others are. Else null. */
  copyAt(node) {
    if (ts.isIdentifier(node)) return this.copies.get(node.text) ?? null;
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return this.copyAt(node.expression);
    if (ts.isObjectLiteralExpression(node)) return this.copiedObject(node);
    const list = { members: new Map(), holdsOthers: true };
    if (ts.isArrayLiteralExpression(node)) {
      const isHolding = (one) => (ts.isSpreadElement(one) ? this.holdsParts(one.expression) : this.isPart(one));
      return node.elements.some(isHolding) ? list : null;
    }
    if (ts.isNewExpression(node)) return node.arguments?.some((given) => this.holdsParts(given)) ? list : null;
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return null;
    return listing.has(node.expression.name.text) && this.holdsParts(node.expression.expression) ? list : null;
  }

  copiedObject(literal) {
    const copy = { members: new Map(), holdsOthers: false };
    for (const member of literal.properties) {
      if (ts.isSpreadAssignment(member)) {
        const spread = this.copyAt(member.expression);
        copy.holdsOthers ||= this.isPart(member.expression) || (spread?.holdsOthers ?? false);
        for (const [name, isPart] of spread?.members ?? []) copy.members.set(name, isPart);
      }
      if (ts.isShorthandPropertyAssignment(member)) copy.members.set(member.name.text, this.isPart(member.name));
      if (ts.isPropertyAssignment(member)) copy.members.set(member.name.getText(), this.isPart(member.initializer));
    }
    return copy.holdsOthers || [...copy.members.values()].some(Boolean) ? copy : null;
  }

  isChanging() {
    let found = false;
    walk(this.fn.node, (node) => {
      found ||= this.isWrite(node) || (ts.isCallExpression(node) && this.isChangingCall(node));
    });
    return found;
  }

  isGiving() {
    if (this.fn.node.body && !ts.isBlock(this.fn.node.body)) return this.isPart(this.fn.node.body);
    let found = false;
    walk(this.fn.node, (node) => {
      found ||= ts.isReturnStatement(node) && node.expression !== undefined && this.isPart(node.expression);
    });
    return found;
  }

  isMember(node) {
    return (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) && this.isPart(node.expression);
  }

  isWrite(node) {
    if (ts.isBinaryExpression(node)) {
      const { kind } = node.operatorToken;
      const isAssignment = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
      return isAssignment && this.isMember(node.left);
    }
    if (ts.isDeleteExpression(node)) return this.isMember(node.expression);
    if (!ts.isPrefixUnaryExpression(node) && !ts.isPostfixUnaryExpression(node)) return false;
    const isStep = node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken;
    return isStep && this.isMember(node.operand);
  }

  isChangingCall(call) {
    const { expression } = call;
    if (expression.getText() === 'Object.assign') return this.isPart(call.arguments[0]);
    if (ts.isPropertyAccessExpression(expression) && changingMethods.has(expression.name.text))
      return this.isPart(expression.expression);
    const called = this.analysis.functionAt(expression, this.fn.path);
    return (
      called !== null &&
      call.arguments.some((given, index) => this.isPart(given) && this.analysis.changes(called, index))
    );
  }
}
