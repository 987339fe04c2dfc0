import type { ModelRole } from '../../ports/model.ts';
import type { WorkerSession } from '../../session/session.ts';
import { agentRef } from './agent-ref.ts';

const roles: readonly ModelRole[] = [
  ...(['decision', 'reasoning', 'answer', 'summary', 'selection', 'small'] as const),
];

type HintedStep = { readonly agent: string; readonly hint: string };

/** The role whose model works on a step with this hint. Undefined: the agent of the step has no such model. */
export function roleOfHint(
  session: WorkerSession,
  { agent, hint }: HintedStep,
): ModelRole | undefined {
  if (hint === 'fast') return 'small';
  if (hint === 'reasoning') return 'reasoning';
  return roles.find((role) => modelId(session, agent, role) === hint);
}

/** Ids of the models that a step of this agent may name. */
export function hintedModels(session: WorkerSession, agent: string): readonly string[] {
  return [...new Set(roles.flatMap((role) => modelId(session, agent, role) ?? []))];
}

function modelId({ engine, agent: own }: WorkerSession, name: string, role: ModelRole) {
  const agent = engine.agent(agentRef(name, own));
  return agent && engine.model(agent, role).id;
}
