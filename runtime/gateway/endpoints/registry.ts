import { agUi } from '../projections/ag-ui/ag-ui.ts';
import { agentScope } from '../projections/agentscope/agentscope.ts';
import { aiSdk } from '../projections/ai-sdk/ai-sdk.ts';
import { fim } from '../projections/fim/fim.ts';
import { langgraph } from '../projections/langgraph/langgraph.ts';
import { openai } from '../projections/openai/openai.ts';
import type { ProjectionKind } from '../projections/projection.ts';

/** By the name in `?as=`. */
const kinds = {
  'ag-ui': agUi(),
  agentscope: agentScope,
  ai: aiSdk(),
  fim,
  langgraph: langgraph(),
  openai,
} satisfies Readonly<Record<string, ProjectionKind>>;

export type ProjectionName = keyof typeof kinds;

export const projectionNames: readonly [ProjectionName, ...ProjectionName[]] = [
  'ag-ui',
  'agentscope',
  'ai',
  'fim',
  'langgraph',
  'openai',
];

export function projectionNamed(name: ProjectionName): ProjectionKind {
  return kinds[name];
}
