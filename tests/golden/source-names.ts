import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * Identifiers that the collection has to know. Everything else is found by its value, so that code around a name can be
 * renamed and moved. Whoever renames one of these changes it here too; a list that then finds too little fails.
 */
const known = {
  /** Calls whose first argument is a metric. */
  metricCalls: ['counter', 'gauge', 'histogram', 'observedGauge', 'observedGauges', 'observedCounter'],
  /** Member of a reactor's description that describes its gauge. */
  gaugeMember: 'stoppedGauge',
  /** Calls and the place of the argument that names the list of a cursor. */
  cursorScopeCalls: { listScope: 1 } as Record<string, number>,
  /** Member of an object that names the list of a cursor. */
  cursorScopeMember: 'list',
  /** Types whose members are names. */
  types: { KeyPurpose: 'keyPurposes', IdPrefix: 'idPrefixes' } as Record<string, 'keyPurposes' | 'idPrefixes'>,
  /** Node's derivation of keys: the place of the text that separates purposes. */
  keyDerivation: { hkdfSync: 3 } as Record<string, number>,
  /** Call whose first argument is a failpoint. */
  failpointCall: 'failpoint',
  /** Member of a timer that names its handler. */
  timerMember: 'handler',
  /** Members that make an object the description of a reactor. */
  reactorMembers: ['name', 'prefixes'],
  /** Names of what holds headers, and of calls whose first argument is one. */
  headersMember: 'headers',
  headerCalls: ['header', 'setHeader', 'getHeader'],
};

const root = join(__dirname, '..', '..');
const support = /\.(spec|contract|fixture)\.ts$|\/testing[^/]*[./]|\.d\.ts$/;
/** Code that speaks the protocol of a vendor: its names are the vendor's. */
const foreign = /eventstoredb\/|eventstore-twin\/|adapters\/models\//;

/** Programs of callers: they run beside no replica, and what they send is the wire, which the contract holds. */
const ofCallers = /^libs\/client\/|^apps\/console\/|^apps\/svc\/src\/(?!operator\/)/;

/** Every file of the product, without tests and what only tests use; relative to the workspace. */
function productFiles(): string[] {
  return globSync('{apps,libs}/**/src/**/*.ts', { cwd: root, exclude: (name) => name === 'node_modules' })
    .filter((file) => !support.test(file) && !ofCallers.test(file))
    .sort();
}

/** Names told by where they stand (`metrics` to `headers`), and texts told by their form. */
export interface SourceNames {
  files: number;
  metrics: Set<string>;
  cursorScopes: Set<string>;
  keyPurposes: Set<string>;
  idPrefixes: Set<string>;
  timers: Set<string>;
  reactors: Set<string>;
  failpoints: Set<string>;
  headers: Set<string>;
  /** `SVC_DATA_DIR`, as text or as a member's name */
  settings: Set<string>;
  /** `tables.save_row`, `session.deleted` */
  dotted: Set<string>;
  /** `audit@1` */
  versioned: Set<string>;
  /** `session-service` */
  hyphenated: Set<string>;
  /** `TurnQueued` */
  capitalized: Set<string>;
  /** Texts with holes and a separator: `turn:{}`, `{}:lease:{}`. */
  patterns: Set<string>;
}

/** Lists told by place; what they hold is not listed once more by its form. */
const told = ['cursorScopes', 'timers', 'reactors', 'failpoints', 'headers'] as const;
const formed = ['dotted', 'hyphenated', 'patterns'] as const;

const word = '[a-z][a-z0-9_]*';
const forms = {
  dotted: new RegExp(`^${word}(\\.${word})+\\.?$`),
  setting: /^SVC_[A-Z0-9_]+$/,
  versioned: new RegExp(`^${word}@\\d+$`),
  hyphenated: /^[a-zA-Z]+(-[a-zA-Z0-9]+)+$/,
  capitalized: /^[A-Z][a-z]+([A-Z][a-z]+)+$/,
  pattern: /^[a-zA-Z][\w.]*[-:/.@_=]\S*$|^[a-z]+:$|^\{\}[:.-][a-zA-Z]|^\{\}[a-z]:/,
};

/** The text of each file of the product, by its path. */
export function productTexts(): Map<string, string> {
  return new Map(productFiles().map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** Reads source texts as syntax trees and collects the names in them. Takes the texts by path. */
export function sourceNames(files: ReadonlyMap<string, string>): SourceNames {
  const sources = [...files]
    .filter(([file]) => !foreign.test(file))
    .map(([file, text]) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest, /* parents */ true));
  const texts = new Texts(sources);
  const names: SourceNames = {
    files: sources.length,
    metrics: new Set(),
    cursorScopes: new Set(),
    keyPurposes: new Set(),
    idPrefixes: new Set(),
    timers: new Set(),
    reactors: new Set(),
    failpoints: new Set(),
    headers: new Set(),
    settings: new Set(),
    dotted: new Set(),
    versioned: new Set(),
    hyphenated: new Set(),
    capitalized: new Set(),
    patterns: new Set(),
  };
  for (const source of sources) collect(source, texts, names);
  for (const list of told) {
    for (const name of names[list]) for (const form of formed) names[form].delete(name);
  }
  return names;
}

function collect(node: ts.Node, texts: Texts, names: SourceNames): void {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) byForm(texts.shape(node) ?? '', names);
  if (ts.isCallExpression(node)) ofCall(node, texts, names);
  if (ts.isObjectLiteralExpression(node)) ofObject(node, texts, names);
  if (ts.isIdentifier(node)) byForm(forms.setting.test(node.text) ? node.text : '', names);
  if (isHeadersAccess(node)) add(names.headers, texts.shapes(keyOf(node)));
  if (ts.isTypeAliasDeclaration(node)) ofType(node, names);
  ts.forEachChild(node, (child) => collect(child, texts, names));
}

function ofType({ name, type }: ts.TypeAliasDeclaration, names: SourceNames): void {
  const list = known.types[name.text];
  if (!list || !ts.isUnionTypeNode(type)) return;
  for (const member of type.types)
    if (ts.isLiteralTypeNode(member) && ts.isStringLiteral(member.literal)) names[list].add(member.literal.text);
}

function byForm(text: string, names: SourceNames): void {
  if (/\s/.test(text)) return;
  if (forms.setting.test(text)) names.settings.add(text);
  else if (forms.versioned.test(text)) names.versioned.add(text);
  else if (forms.dotted.test(text)) names.dotted.add(text);
  else if (forms.capitalized.test(text)) names.capitalized.add(text);
  else if (text.startsWith('x-')) names.headers.add(text);
  else if (forms.hyphenated.test(text)) names.hyphenated.add(text);
  else if ((text.includes('{}') || text.endsWith(':')) && forms.pattern.test(text)) names.patterns.add(text);
}

function ofCall(node: ts.CallExpression, texts: Texts, names: SourceNames): void {
  const { expression: callee, arguments: args } = node;
  const called = ts.isPropertyAccessExpression(callee) ? callee.name.text : ts.isIdentifier(callee) ? callee.text : '';
  const at = (index: number | undefined) => (index === undefined ? [] : texts.shapes(args[index]));
  if (known.metricCalls.includes(called) && args.length > 1) {
    const labels = args[2] && (ts.isArrayLiteralExpression(args[2]) ? [...args[2].elements] : [args[2]]);
    const shown = (labels ?? []).map((label) => texts.shape(label)).filter((label) => label !== null);
    add(
      names.metrics,
      at(0).map((name) => `${name}{${shown.join(',')}}`),
    );
  }
  add(names.cursorScopes, at(known.cursorScopeCalls[called]));
  add(names.keyPurposes, at(known.keyDerivation[called]));
  if (called === known.failpointCall) add(names.failpoints, at(0));
  if (known.headerCalls.includes(called)) add(names.headers, at(0));
}

function ofObject(node: ts.ObjectLiteralExpression, texts: Texts, names: SourceNames): void {
  const values = new Map<string, ts.Node>();
  for (const member of node.properties) {
    const key = member.name ? memberName(member.name) : null;
    if (key === null) continue;
    if (ts.isPropertyAssignment(member)) values.set(key, member.initializer);
    if (ts.isShorthandPropertyAssignment(member)) values.set(key, member.name);
  }
  add(names.cursorScopes, texts.shapes(values.get(known.cursorScopeMember)));
  add(names.timers, texts.shapes(values.get(known.timerMember)));
  if (known.reactorMembers.every((member) => values.has(member))) add(names.reactors, texts.shapes(values.get('name')));
  const gauge = values.get(known.gaugeMember);
  if (gauge && ts.isObjectLiteralExpression(gauge)) {
    const [name] = gauge.properties;
    if (name && ts.isPropertyAssignment(name))
      add(
        names.metrics,
        texts.shapes(name.initializer).map((shape) => `${shape}{}`),
      );
  }
  const headers = values.get(known.headersMember);
  if (headers && ts.isObjectLiteralExpression(headers)) {
    for (const { name } of headers.properties) {
      const key = name && memberName(name);
      if (name) add(names.headers, key ? [key] : texts.shapes(keyOf(name)));
    }
  }
}

/** `request.headers.accept`, `headers['x-one']` */
function isHeadersAccess(node: ts.Node): node is ts.PropertyAccessExpression | ts.ElementAccessExpression {
  if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node)) return false;
  if (ts.isCallExpression(node.parent) && node.parent.expression === node) return false;
  const holder = node.expression;
  const name = ts.isPropertyAccessExpression(holder) ? holder.name.text : ts.isIdentifier(holder) ? holder.text : '';
  return name === known.headersMember;
}

function keyOf(node: ts.Node): ts.Node {
  if (ts.isPropertyAccessExpression(node)) return node.name;
  if (ts.isElementAccessExpression(node)) return node.argumentExpression;
  return ts.isComputedPropertyName(node) ? node.expression : node;
}

function memberName(name: ts.PropertyName): string | null {
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : null;
}

function add(names: Set<string>, texts: readonly string[]): void {
  for (const text of texts) if (text !== '' && text !== '{}') names.add(text);
}

/** Texts of expressions. Constants are put in; what is known only at run time is a hole, `{}`. */
class Texts {
  private readonly constants = new Map<string, ts.Expression[]>();

  constructor(sources: readonly ts.SourceFile[]) {
    for (const source of sources) {
      for (const statement of source.statements) {
        if (!ts.isVariableStatement(statement)) continue;
        for (const { name, initializer } of statement.declarationList.declarations) {
          if (!ts.isIdentifier(name) || !initializer) continue;
          this.constants.set(name.text, [...(this.constants.get(name.text) ?? []), initializer]);
        }
      }
    }
  }

  /** Both texts of a choice; none for what is no text of the sources. */
  shapes(node: ts.Node | undefined): string[] {
    if (node && ts.isConditionalExpression(node))
      return [...this.shapes(node.whenTrue), ...this.shapes(node.whenFalse)];
    const shape = this.shape(node);
    return shape === null ? [] : [shape];
  }

  /** Null for what is no text of the sources. */
  shape(node: ts.Node | undefined): string | null {
    if (!node) return null;
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isTemplateExpression(node))
      return (
        node.head.text +
        node.templateSpans.map(({ expression, literal }) => (this.shape(expression) ?? '{}') + literal.text).join('')
      );
    if (ts.isAsExpression(node) || ts.isParenthesizedExpression(node) || ts.isSatisfiesExpression(node))
      return this.shape(node.expression);
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const holder = bare(this.constant(node.expression));
      if (!holder || !ts.isObjectLiteralExpression(holder)) return null;
      const member = holder.properties.find(({ name }) => name && memberName(name) === node.name.text);
      return member && ts.isPropertyAssignment(member) ? this.shape(member.initializer) : null;
    }
    if (!ts.isIdentifier(node)) return null;
    if (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) return node.text;
    if (ts.isPropertyAssignment(node.parent) && node.parent.name === node) return node.text;
    return this.shape(this.constant(node));
  }

  /** The value of a constant of this file, else of the only one of its name. */
  private constant({ text, parent }: ts.Identifier): ts.Expression | undefined {
    const found = this.constants.get(text) ?? [];
    const own = found.filter((value) => value.getSourceFile() === parent.getSourceFile());
    const [only, other] = own.length > 0 ? own : found;
    return other ? undefined : only;
  }
}

function bare(node: ts.Expression | undefined): ts.Expression | undefined {
  return node && (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) ? bare(node.expression) : node;
}
