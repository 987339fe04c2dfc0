import type { AgentDefinition } from '../../define/agent.ts';
import type { Bundle, BundleDefinition } from '../../define/bundle.ts';
import { bundleOf, isDefinition } from '../../define/definition.ts';
import { unknownInAgent, unknownInBundle, unknownInTool } from './known-keys.ts';
import { checkIds, createProblems, type Problems } from './problems.ts';

type Check = readonly [what: string, fits: (value: unknown) => boolean];
type Required = Readonly<Record<string, Check>>;

const text: Check = ['a text', (value) => typeof value === 'string'];
const schema: Check = ['a Zod schema', (value) => '_zod' in Object(value)];
const run: Check = ['a function', (value) => typeof value === 'function'];
const runner: Check = ['a function', (value) => value !== undefined && Object(value) === value];
const instruction: Check = [
  'a text or { file }',
  (value) => typeof value === 'string' || typeof Object(value).file === 'string',
];

const required = {
  bundle: { id: text, version: text },
  agent: { id: text, instruction },
  tool: { id: text, description: text, input: schema, run: runner },
  operation: { id: text, input: schema, run },
  job: { id: text, run },
  event: { kind: text, payload: schema, text: run },
  widget: { id: text, title: text, ui: text },
  secret: { id: text, description: text },
  resource: { id: text, open: run },
  hook: { id: text },
} satisfies Readonly<Record<string, Required>>;

/** Starts the load of a bundle. Fault `BUNDLE_INVALID` if it lacks what cannot be done without. */
export function readDefinition(given: Bundle): {
  readonly bundle: BundleDefinition;
  readonly problems: Problems;
} {
  const bundle = bundleOf(given);
  const problems = createProblems();
  assertComplete(bundle, problems);
  checkIds('bundle', [bundle.id], problems);
  return { bundle, problems };
}

/**
 * Names what definitions lack, together with keys that may be misspelt. The types of the SDK require all of this; authors
 * who write JavaScript, or run a bundle before its types are checked, read it here. Fault `BUNDLE_INVALID`.
 */
function assertComplete(bundle: BundleDefinition, problems: Problems): void {
  const agents = (bundle.agents ?? []).filter((each) => isDefinition('agent', each));
  const tools = agents.flatMap(toolsOf);
  const missing = [
    ...missingIn('bundle', [bundle]),
    ...missingIn('agent', agents),
    ...missingIn('tool', tools),
    ...missingIn('operation', bundle.operations),
    ...missingIn('job', bundle.jobs),
    ...missingIn('event', bundle.events),
    ...missingIn('widget', bundle.widgets),
    ...missingIn('secret', bundle.secrets),
    ...missingIn('resource', bundle.resources),
    ...missingIn('hook', [...(bundle.hooks ?? []), ...agents.flatMap(({ hooks = [] }) => hooks)]),
  ];
  if (missing.length === 0) return;
  const unknown = [
    ...unknownInBundle(bundle),
    ...agents.flatMap((agent) => unknownInAgent(agent)),
    ...tools.flatMap((tool) => unknownInTool(tool)),
  ];
  for (const problem of [...missing, ...unknown]) problems.add(problem);
  problems.settle(bundle.id);
}

function toolsOf({ tools = [], groups = {} }: AgentDefinition) {
  return [...tools, ...Object.values(groups).flatMap((group) => group.tools)].filter((each) =>
    isDefinition('tool', each),
  );
}

function missingIn(
  kind: keyof typeof required,
  definitions: readonly unknown[] = [],
): readonly string[] {
  const checks = Object.entries<Check>(required[kind]);
  return definitions.flatMap((one, index) => {
    if (!isDefinition(kind, one)) return [];
    const id: unknown = Reflect.get(one, 'id') ?? Reflect.get(one, 'kind');
    const who = typeof id === 'string' ? `${kind} “${id}”` : `${kind} number ${index + 1}`;
    return checks
      .filter(([key, [, fits]]) => !fits(Reflect.get(one, key)))
      .map(([key, [what]]) => `${who} needs ${key}: ${what}`);
  });
}
