import { Fault } from '../base/fault.ts';
import { matchesAny } from './pattern.ts';
import type { Tool } from './tool.ts';

export type Registry = {
  /** By id, ascending. */
  readonly all: readonly Tool[];
  find(id: string): Tool | undefined;
  /** Those whose id fits one of the patterns, by id. */
  visible(patterns: readonly string[]): readonly Tool[];
};

const idShape = /^[A-Za-z_][\w-]*(\.[\w-]+)+$/;

/** Fault `BUNDLE_INVALID` names every blank, malformed, reserved and duplicate id at once. */
export function createRegistry(tools: readonly Tool[]): Registry {
  const culprits = [...new Set(tools.flatMap((tool) => complaints(tool, tools)))];
  if (culprits.length > 0) {
    throw new Fault('BUNDLE_INVALID', { because: culprits.join('; '), culprits });
  }
  const all = tools.toSorted((a, b) => (a.spec.id < b.spec.id ? -1 : 1));
  const byId = new Map(all.map((tool) => [tool.spec.id, tool]));
  return {
    all,
    find: (id) => byId.get(id),
    visible: (patterns) => all.filter((tool) => matchesAny(patterns, tool.spec.id)),
  };
}

function complaints({ spec }: Tool, tools: readonly Tool[]): readonly string[] {
  const id = spec.id.trim();
  if (id === '') return [`a tool has no id (“${spec.description.slice(0, 60)}”)`];
  const found: string[] = [];
  if (!idShape.test(spec.id)) found.push(`“${spec.id}” is not alias.name`);
  if (spec.kind === 'bundle' && /^(react|mcp)\./.test(id)) found.push(`“${id}” is reserved`);
  const same = tools.filter((other) => other.spec.id.trim() === id).length;
  if (same > 1) found.push(`“${id}” is defined ${same} times`);
  return found;
}
