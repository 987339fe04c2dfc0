import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript-api';
import { root } from './steps.mjs';

/**
 * Generates docs/reference/api from the types and their comments. `--check` writes nothing and exits with 1 if a page is
 * out of date.
 */
const entries = [
  ['timeloom/sdk', 'sdk.md', 'runtime/sdk/index.ts'],
  ['timeloom/client', 'client.md', 'runtime/client/index.ts'],
  ['timeloom/client/react', 'client-react.md', 'runtime/client/react.ts'],
  ['timeloom/client/story', 'client-story.md', 'runtime/client/story/story.ts'],
  ['timeloom/testing', 'testing.md', 'runtime/testing/index.ts'],
  ['timeloom/channels', 'channels.md', 'runtime/channels/index.ts'],
];
const folder = join(root, 'docs/reference/api');
const pageNotice =
  'Made from the types by `node deploy/api-reference.mjs`; change the types and their comments instead of this page.';

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
  ts.sys,
  root,
);
const program = ts.createProgram(
  entries.map(([, , source]) => join(root, source)),
  { ...options, noEmit: true },
);
const checker = program.getTypeChecker();
/** Exports of every entry point. What one page documents is not repeated on another. */
const everywhere = entries.flatMap(([, , source]) =>
  exportsOf(join(root, source)).map(({ symbol }) => symbol),
);

const stale = entries.filter(([name, page, source]) => {
  const path = join(folder, page);
  const text = pageOf(name, join(root, source));
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return false;
  if (process.argv.includes('--check')) return true;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, text);
  return false;
});
for (const [, page] of stale) {
  process.stderr.write(
    `docs/reference/api/${page} is out of date: run node deploy/api-reference.mjs\n`,
  );
}
process.exitCode = stale.length === 0 ? 0 : 1;

function pageOf(name, source) {
  const exported = exportsOf(source);
  const sorted = exported.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const values = sorted.filter(({ symbol }) => !declarationsOf(symbol).some(isType));
  const types = sorted.filter((one) => !values.includes(one));
  return [
    `# ${name}`,
    pageNotice,
    ...section('Functions and values', values),
    ...section('Types', types),
    ...section('Types that those name', namedBy(exported)),
  ]
    .join('\n\n')
    .concat('\n');
}

function exportsOf(source) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(source));
  return checker
    .getExportsOfModule(module)
    .map((each) => ({ name: each.name, symbol: resolved(each) }));
}

function section(title, symbols) {
  return symbols.length === 0 ? [] : [`## ${title}`, ...symbols.map(entryOf)];
}

function entryOf({ name, symbol }) {
  const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const code = declarationsOf(symbol).map(textOf).join('\n').replace(symbol.name, name);
  return [`### ${name}`, comment, `\`\`\`ts\n${code}\n\`\`\``].filter(Boolean).join('\n\n');
}

function resolved(symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** For overloaded functions, only the overloads that callers see; for a schema with a type of the same name, the type. */
function declarationsOf({ declarations = [] }) {
  const seen = declarations.some(isType) ? declarations.filter(isType) : declarations;
  const open = seen.filter((node) => !(ts.isFunctionDeclaration(node) && node.body));
  return open.length === 0 ? seen : open;
}

/** The source text of a declaration without its body. */
function textOf(node) {
  if (ts.isClassDeclaration(node)) return classText(node);
  if (ts.isVariableDeclaration(node))
    return `const ${upTo(node, node.initializer).replace(/\s*=$/, '')};`;
  if (ts.isTypeAliasDeclaration(node) && /\btypeof\b/.test(node.type.getText()))
    return expanded(node);
  const text = upTo(node, node.body).replace(/^export (async )?/, '');
  return /[;}]$/.test(text) ? text : `${text};`;
}

function classText(node) {
  const heritage = node.heritageClauses?.map((clause) => ` ${clause.getText()}`).join('') ?? '';
  const members = node.members
    .filter(({ name }) => !name || ts.isIdentifier(name))
    .map((member) => `  ${upTo(member, member.body ?? member.initializer).replace(/\s*=$/, '')};`)
    .map((line) => line.replace(/;;$/, ';'));
  return `class ${node.name.text}${heritage} {\n${members.join('\n')}\n}`;
}

/** Types inferred from a schema are printed as resolved types, because their source text says nothing. */
function expanded(node) {
  const { NoTruncation, InTypeAlias, MultilineObjectLiterals } = ts.NodeBuilderFlags;
  const flags = NoTruncation | InTypeAlias | MultilineObjectLiterals;
  const type = checker.typeToTypeNode(checker.getTypeAtLocation(node), node, flags);
  const text = ts.createPrinter().printNode(ts.EmitHint.Unspecified, type, node.getSourceFile());
  const lines = text.replace(/^( {4})+/gm, (spaces) => spaces.slice(spaces.length / 2)).split('\n');
  return `type ${node.name.text} = ${lines.map(broken).join('\n')};`;
}

/** Prints a long union with one member per line. */
function broken(line) {
  const indent = /^ */.exec(line)[0];
  return line.length > 120 ? line.replaceAll(' | "', `\n${indent}  | "`) : line;
}

function upTo(node, end) {
  const file = node.getSourceFile();
  return file.text.slice(node.getStart(file), end ? end.getStart(file) : node.getEnd()).trim();
}

/** Types of this project that exported types refer to and that cannot be imported. */
function namedBy(exported) {
  const known = new Set(everywhere);
  const found = [];
  const look = (symbol) => {
    for (const declaration of declarationsOf(symbol)) visit(declaration);
  };
  const visit = (node) => {
    if (ts.isBlock(node)) return;
    const name = ts.isTypeReferenceNode(node) ? node.typeName : heritageName(node);
    const symbol = name && checker.getSymbolAtLocation(name);
    if (symbol) add(resolved(symbol));
    ts.forEachChild(node, visit);
  };
  const add = (symbol) => {
    const [declaration] = symbol.declarations ?? [];
    if (known.has(symbol) || !declaration || !isOurs(declaration)) return;
    known.add(symbol);
    found.push({ name: symbol.name, symbol });
    look(symbol);
  };
  for (const { symbol } of exported) look(symbol);
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function heritageName(node) {
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined;
}

function isOurs(node) {
  const path = relative(root, node.getSourceFile().fileName);
  return isType(node) && path.startsWith('runtime');
}

function isType(node) {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
}
