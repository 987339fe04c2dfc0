import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { mintId } from '../../client/protocol/mint-id.ts';
import type { AgentSettings, SkillEntry } from '../../sdk/contract/agent-settings.ts';
import type { Tool } from '../../tools/ports/tool.ts';
import { requireOperator } from '../auth/operators.ts';
import type { Env } from '../http/context.ts';
import { statusOfCode } from '../http/status.ts';
import { jsonOf, parseInput } from '../input/parse-input.ts';
import { assertInspector } from './access.ts';
import { type Inspection, projectPath } from './inspection.ts';
import { checksMax, toolTextCharsMax } from './log/limits.ts';

const input = z.custom<JsonObject>(
  (value) => isJsonObject(value) && z.json().safeParse(value).success,
  'must be a JSON object',
);
export const tryRequest = z.strictObject({
  bundle: z.string().max(200),
  agent: z.string().max(200).optional(),
  input,
});

export function addAgentRoutes(app: Hono<Env>, inspection: Inspection): void {
  const checks = new Semaphore(checksMax);
  app.get(`${projectPath}/agents`, (context) => getAgents(context, inspection));
  app.post(`${projectPath}/bundles/:bundle/check`, (context) =>
    checks.run(() => postCheck(context, inspection)),
  );
  app.post(`${projectPath}/tools/:tool/try`, (context) => postTry(context, inspection));
}

function getAgents(context: Context<Env>, inspection: Inspection): Response {
  assertInspector(context, inspection.parts);
  inspection.admit(context);
  const { bundles } = inspection.parts.deps;
  const items = bundles.bundles().map(({ id, title, version, widgets }) => ({
    ...{ id, title, version },
    widgets: widgets.map((widget) => ({ id: widget.id, title: widget.title })),
    agents: bundles.settings(id).map(toWireAgent),
  }));
  return context.json({ ok: true, items });
}

/** What `timeloom bundle check` finds in the folder of a bundle, types included. */
async function postCheck(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { deps, closing: signal } = inspection.parts;
  assertInspector(context, inspection.parts);
  inspection.admit(context);
  const bundle = context.req.param('bundle') ?? '';
  const isServed = deps.bundles.bundles().some(({ id }) => id === bundle);
  if (!isServed || !deps.checkBundle)
    throw new Refusal('not_found', `this server cannot check a bundle "${bundle}"`);
  return context.json({ ok: true, items: await deps.checkBundle(bundle, { signal }) });
}

function toWireAgent(agent: AgentSettings): object {
  const { id, instruction, models, budgets, protocol, answer, tools, skills, notices = [] } = agent;
  return {
    ...{ id, instruction, protocol, answer, notices },
    models: Object.fromEntries(
      Object.entries(models).map(([role, model]) => [role, String(model)]),
    ),
    budgets: { rounds: budgets.rounds, wall_ms: budgets.wallMs },
    tools: tools.map(toWireTool),
    skills: skills.map(toWireSkill),
  };
}

function toWireTool({ spec }: Tool): object {
  const { id, description, parameters, effects, kind, timeoutMs, unavailable } = spec;
  return {
    ...{ id, description, parameters, effects, kind, timeout_ms: timeoutMs },
    ...(unavailable !== undefined && { unavailable }),
    can_try: canTry(spec),
  };
}

/** Control tools need a round of a model, and programs need their code. */
function canTry({ kind, unavailable }: Tool['spec']): boolean {
  return (kind === 'bundle' || kind === 'platform') && unavailable === undefined;
}

function toWireSkill({ id, name, description, hidden }: SkillEntry): object {
  return { id, name, description, hidden };
}

/** Calls a tool of an agent in a conversation of its own, through its guards and approvals, as a turn without a model. */
async function postTry(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { deps, intake, closing: signal } = inspection.parts;
  requireOperator(deps.auth, context.get('roles'));
  inspection.admit(context);
  const { bundle, agent: named, input: values } = parseInput(tryRequest, await jsonOf(context));
  const tool = context.req.param('tool') ?? '';
  const agents = deps.bundles.settings(bundle);
  const agent = named === undefined ? agents[0] : agents.find(({ id }) => id === named);
  const spec = agent?.tools.find((each) => each.spec.id === tool)?.spec;
  if (!agent || !spec)
    throw new Refusal('not_found', `tool "${tool}" not found in bundle "${bundle}"`);
  if (!canTry(spec))
    throw new Refusal('invalid_input', `tool "${tool}" cannot be called without a model`);
  const call: { readonly tool: string; readonly input: Readonly<Record<string, Json>> } = {
    tool,
    input: values,
  };
  const text = `${tool} ${JSON.stringify(values)}`.slice(0, toolTextCharsMax).toWellFormed();
  const message = { message_id: mintId('msg'), text };
  const to = { agent: { bundle, agent: agent.id }, call };
  const { ack } = await intake.take(context.get('sender'), message, { signal, to });
  if (!ack.ok) return context.json(ack, statusOfCode(ack.error.code));
  const { conversation_id, turn_id } = ack;
  return context.json({ ok: true, conversation_id, turn_id }, 202);
}
