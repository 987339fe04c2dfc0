import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript-api';
import { expect, test } from 'vitest';
import { root as top } from '../../architecture/tree.ts';

/** What authors and operators set, and the forms in which the runtime carries it on. */
const roots: Readonly<Record<string, readonly string[]>> = {
  'client/api/client.ts': ['ConnectOptions', 'ConversationQuery'],
  'client/api/types.ts': ['SendOptions', 'EventOptions', 'Attachment'],
  'sdk/define/agent.ts': ['AgentDefinition', 'AgentOptions', 'ExternalAgentOptions', 'ToolGroup'],
  'sdk/contract/agent-settings.ts': [
    ...['AgentSettings', 'Budgets', 'Policies', 'ContextLimits', 'ExecSettings', 'DeclaredChannel'],
    ...['MemorySettings', 'DelegationSettings'],
  ],
  'sdk/define/bundle.ts': ['BundleDefinition', 'McpEndpoint', 'McpServer'],
  'sdk/define/context.ts': ['Ask'],
  'sdk/define/knowledge.ts': ['KnowledgeDefinition'],
  'sdk/define/model.ts': ['ModelAbilityOptions', 'ModelOptions', 'ModelPrices'],
  'sdk/define/runner.ts': ['RunnerSpec'],
  'sdk/contract/runtime-bundle.ts': ['BundleWidget', 'BundleOperation', 'BundleJob', 'EventKind'],
  'sdk/define/settings.ts': ['PropsDefinition', 'SecretDefinition', 'ResourceDefinition'],
  'sdk/define/skill.ts': ['SkillDefinition'],
  'sdk/define/surfaces.ts': [
    ...['WidgetDefinition', 'OperationDefinition', 'JobDefinition', 'EventKindDefinition'],
  ],
  'sdk/define/tool.ts': ['ToolDefinition'],
  'testing/types.ts': ['TestOptions'],
};
/**
 * Options that no code reads under their own type, each with what holds it. One that is read after all, or is gone, has to
 * leave this list.
 */
const heldElsewhere: Readonly<Record<string, string>> = {
  'AgentSettings.context.intactTurns': 'handed whole to PruneSettings',
  'AgentSettings.context.ttlMs': 'handed whole to PruneSettings',

  'DeclaredChannel.description': 'handed whole to the channels of the instruction',
  'DeclaredChannel.schema': 'handed whole to the channels of the instruction',
  'ExecSettings.fileMb': 'handed whole to ProgramRights',
  'ExecSettings.pids': 'handed whole to ProgramRights',
  'Ask.ask': 'a mark that tells it from a Refusal',
};
/** Public types whose options another type carries on. */
const carried: Readonly<Record<string, string>> = {
  AskOptions: 'Ask',
  EventDefinition: 'EventKindDefinition',
  ToolOptions: 'ToolDefinition',
};
/** Groups of options that a definition shares with the full form of an agent, where they are read. */
const shared = ['models', 'budgets', 'policies', 'context', 'exec', 'memory', 'delegation'];

/** They name options without doing anything about them. */
const lists = ['sdk/compile/validate/known-keys.ts', 'sdk/compile/settings/agent-schema.ts'];

const compilerOptions: ts.CompilerOptions = {
  ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, strict: true },
  ...{ lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'], noEmit: true },
  ...{ allowImportingTsExtensions: true, skipLibCheck: true, types: ['node'] },
  ...{ jsx: ts.JsxEmit.ReactJSX, exactOptionalPropertyTypes: true },
};
const program = ts.createProgram(
  ['runtime', 'supervisor'].flatMap((folder) => sourcesIn(join(top, folder))),
  compilerOptions,
  withoutPackages(ts.createCompilerHost(compilerOptions)),
);
const checker = program.getTypeChecker();

// proves: options.read
test('every option of the SDK is read by the runtime, or refused by it', () => {
  const options = optionsOf();
  expect(options.size).toBeGreaterThan(120);
  for (const file of program.getSourceFiles()) {
    if (isOwn(file) && !lists.includes(pathOf(file))) removeRead(file, options);
  }
  expect([...options.values()].toSorted()).toEqual(Object.keys(heldElsewhere).toSorted());
});

// proves: options.read
test('every public type of options is part of this test', () => {
  const named = new Set(Object.values(roots).flat());
  const open = ['sdk/index.ts', 'client/index.ts', 'testing/index.ts'].flatMap((path) => {
    const file = program.getSourceFile(join(top, 'runtime', path));
    const module = file && checker.getSymbolAtLocation(file);
    return module ? checker.getExportsOfModule(module).map(({ name }) => name) : [];
  });
  const options = open.filter((name) => /(?:Options|Definition|Query)$/.test(name));
  expect(options.length).toBeGreaterThan(3);
  expect(options.filter((name) => !named.has(carried[name] ?? name))).toEqual([]);
});

// proves: options.read
test('an agent is defined with no option that its full form lacks', () => {
  const keysOf = (name: string, path: string) => {
    const declared = declarationOf(path, name);
    const type = checker.getTypeAtLocation(declared);
    return shared.flatMap((group) => {
      const property = checker.getPropertyOfType(type, group);
      const inner = property && checker.getNonNullableType(checker.getTypeOfSymbol(property));
      return (inner ? checker.getPropertiesOfType(inner) : []).map((key) => `${group}.${key.name}`);
    });
  };
  const full = keysOf('AgentSettings', 'sdk/contract/agent-settings.ts');
  expect(
    keysOf('AgentOptions', 'sdk/define/agent.ts').filter((key) => !full.includes(key)),
  ).toEqual([]);
});

/** Options are not read in packages, and those take most of the time to read: what is imported from them has any type. */
function withoutPackages(host: ts.CompilerHost): ts.CompilerHost {
  const isOwnName = ({ text }: ts.StringLiteralLike) => /^\.|^node:|^zod$/.test(text);
  return {
    ...host,
    resolveModuleNameLiterals: (names, file) =>
      names.map((name) =>
        isOwnName(name)
          ? ts.resolveModuleName(name.text, file, compilerOptions, host)
          : { resolvedModule: undefined },
      ),
  };
}

function sourcesIn(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile() && /\.tsx?$/.test(item.name))
    .map((item) => join(item.parentPath, item.name));
}

function isOwn({ fileName, isDeclarationFile }: ts.SourceFile): boolean {
  return !isDeclarationFile && !fileName.includes('node_modules');
}

function pathOf({ fileName }: ts.SourceFile): string {
  return relative(join(top, 'runtime'), fileName);
}

/** Each declared option, with its name for people. */
function optionsOf(): Map<ts.Node, string> {
  const found = new Map<ts.Node, string>();
  for (const [path, names] of Object.entries(roots)) {
    for (const name of names) {
      addOptions(checker.getTypeAtLocation(declarationOf(path, name)), name, found);
    }
  }
  return found;
}

function declarationOf(path: string, name: string): ts.Node {
  const declared = program
    .getSourceFile(join(top, 'runtime', path))
    ?.statements.find(
      (each) =>
        (ts.isTypeAliasDeclaration(each) || ts.isInterfaceDeclaration(each)) &&
        each.name.text === name,
    );
  if (!declared) throw new Error(`${path} has no type ${name}`);
  return declared;
}

function addOptions(type: ts.Type, owner: string, found: Map<ts.Node, string>): void {
  const members = type.isUnion() ? type.types : [type];
  for (const property of members.flatMap((member) => checker.getPropertiesOfType(member))) {
    const name = `${owner}.${property.name}`;
    const added = ownDeclarations(property).filter((declaration) => !found.has(declaration));
    for (const declaration of added) found.set(declaration, name);
    const inner = innerOf(property, owner);
    if (added.length > 0 && inner) addOptions(inner, name, found);
  }
}

/** Of an option, not of a mark that tells definitions apart. */
function ownDeclarations({ name, declarations = [] }: ts.Symbol): readonly ts.Node[] {
  if (name.startsWith('~') || name === 'definition') return [];
  return declarations.filter((each) => isOwn(each.getSourceFile()));
}

/** An object type that is written in place: its keys are options as well. */
function innerOf(property: ts.Symbol, owner: string): ts.Type | undefined {
  if (owner === 'AgentDefinition' && shared.includes(property.name)) return undefined;
  const inner = checker.getNonNullableType(checker.getTypeOfSymbol(property));
  const isWritten = !inner.isClassOrInterface() && inner.getSymbol()?.name === '__type';
  return isWritten && inner.getCallSignatures().length === 0 ? inner : undefined;
}

/** Takes off the list whatever is read somewhere in the file: `a.b`, `{ b } = a`, `a['b']`. */
function removeRead(file: ts.SourceFile, options: Map<ts.Node, string>): void {
  // Types are asked for only where an option could be that is still on the list: they take nearly all of the time.
  let names = lastNames(options);
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && names.has(node.text)) {
      const found = readAt(node).filter((declaration) => options.delete(declaration));
      if (found.length > 0) names = lastNames(options);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}

function lastNames(options: ReadonlyMap<ts.Node, string>): ReadonlySet<string> {
  return new Set([...options.values()].map((name) => name.slice(name.lastIndexOf('.') + 1)));
}

function readAt(node: ts.Identifier): readonly ts.Node[] {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
    return declarationsOf(checker.getSymbolAtLocation(node));
  }
  if (!ts.isBindingElement(parent) || (parent.propertyName ?? parent.name) !== node) return [];
  const type = checker.getTypeAtLocation(parent.parent);
  const members = type.isUnion() ? type.types : [type];
  return members.flatMap((each) => declarationsOf(checker.getPropertyOfType(each, node.text)));
}

function declarationsOf(symbol: ts.Symbol | undefined): readonly ts.Node[] {
  return symbol?.declarations ?? [];
}
