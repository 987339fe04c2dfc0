import { z } from 'zod';
import { createTool } from '../definition/create-tool.ts';
import { describedCharsMax, switchedMax } from '../limits.ts';
import type { CallContext, ToolOutcome, Toolset } from '../ports/tool.ts';
import { describeTools } from '../visibility/describe-tools.ts';
import { didYouMean } from '../visibility/nearest-tools.ts';

const names = z.array(z.string()).max(switchedMax);

/** Only for agents from which tools may be hidden. */
export const switchTools = createTool({
  id: 'react.tools',
  kind: 'control',
  traits: ['neutral'],
  concurrency: 'alone',
  resultLimit: describedCharsMax + 2_000,
  description:
    'Brings tools into view that ANNOUNCE lists as inactive, from the next round on. add: these groups or tools too; set: exactly these groups, the others off. The result describes what is new.',
  input: z.object({
    add: names.optional().describe('groups, or ids of tools'),
    set: names.optional().describe('groups; instead of add'),
  }),
  run: async ({ add, set }, context) => {
    const { toolset } = context;
    if (!toolset) return refused('Every tool is visible here.');
    if ((add === undefined) === (set === undefined)) return refused('Give either add or set.');
    if (set) return switchGroups(set, { toolset, context });
    return add && add.length > 0
      ? addTools(add, { toolset, context })
      : refused('Name groups or tools in add.');
  },
});

type Switching = { readonly toolset: Toolset; readonly context: CallContext };

function switchGroups(asked: readonly string[], { toolset, context }: Switching): ToolOutcome {
  const known = toolset.groups.map(({ id }) => id);
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    return refused(
      `There is no group “${unknown}”; set takes groups.${didYouMean(unknown, known)}`,
    );
  }
  const groups = toolset.groups.filter(({ id, active }) => !active && asked.includes(id));
  const wanted = groups.flatMap(({ tools }) => tools);
  const data = { mode: 'set', groups: groups.map(({ id }) => id) };
  return switched({ toolset, context, wanted, data });
}

function addTools(asked: readonly string[], { toolset, context }: Switching): ToolOutcome {
  const known = [...toolset.groups.map(({ id }) => id), ...toolset.tools];
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    return refused(`There is no group or tool “${unknown}”.${didYouMean(unknown, known)}`);
  }
  const tools = asked.filter((name) => toolset.tools.includes(name));
  // A tool that is hidden with its group comes with its group.
  const groups = toolset.groups.filter(
    ({ id, active, tools: own }) =>
      !active && (asked.includes(id) || own.some((tool) => tools.includes(tool))),
  );
  const wanted = [...tools, ...groups.flatMap((group) => group.tools)];
  const data = { mode: 'add', groups: groups.map(({ id }) => id), tools };
  return switched({ toolset, context, wanted, data });
}

type Change = Switching & {
  readonly wanted: readonly string[];
  readonly data: { readonly mode: string; readonly groups: string[]; readonly tools?: string[] };
};

function switched({ toolset, context, wanted, data }: Change): ToolOutcome {
  const { agent, groups, hidden, described: known } = toolset;
  const fresh = hidden.filter(({ spec }) => wanted.includes(spec.id));
  const unknown = fresh.filter(({ spec }) => !known.includes(spec.id));
  const { text, described } = describeTools(toolset.isOffered ? [] : unknown);
  const isOn = (group: (typeof groups)[number]) =>
    group.active || data.groups.includes(group.id) || (data.mode === 'add' && group.on);
  const on = groups.filter(isOn).map(({ id }) => id);
  const ids = fresh.map(({ spec }) => spec.id);
  const { turn, call } = context;
  const change = { ...data, agent, reason: 'react.tools', described: [...described] };
  const head = `New from the next round on: ${list(ids)}. Groups that are on: ${list(on)}.`;
  return {
    result: { ok: true, ret: { tools: ids, groups: on } },
    blocks: [{ turn, call, type: 'tools.visibility', author: 'agent', data: change }],
    preview: text === '' ? head : `${head}\n\n${text}`,
  };
}

function list(ids: readonly string[]): string {
  return ids.length === 0 ? 'none' : ids.join(', ');
}

function refused(message: string): ToolOutcome {
  return { result: { ok: false, error: { code: 'invalid_input', message, retryable: false } } };
}
