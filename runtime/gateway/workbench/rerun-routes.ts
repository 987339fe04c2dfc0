import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { isFault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import { messageOptions } from '../../client/protocol/request-schemas.ts';
import { originalOf } from '../../engine/inspect/original-turn.ts';
import { continueWithResult } from '../../engine/resume/edited-result.ts';
import { forkBefore } from '../../engine/resume/fork-before.ts';
import { requireOperator } from '../auth/operators.ts';
import type { Env } from '../http/context.ts';
import { statusOfCode } from '../http/status.ts';
import { jsonOf, parseInput } from '../input/parse-input.ts';
import { queryOf } from '../input/parse-query.ts';
import { assertInspector, assertOwner, whoseQuery } from './access.ts';
import { conversationPath, type Inspection, projectPath } from './inspection.ts';

const text = z.string().max(200_000);
export const rerunRequest = z.strictObject({
  turn: z.string().max(200),
  /** Absent: the prompt as it was. */
  text: text.optional(),
  bundle: z.string().max(200).optional(),
  agent: z.string().max(200).optional(),
  /** The model that decides and answers. Absent: that of the agent. */
  model: z.string().min(1).max(300).optional(),
});
export const editRequest = z.strictObject({
  /** Seq of the `react.tool.result`. */
  block: z.int().min(1),
  /** What the model reads instead: JSON, or any other text. */
  text,
});

/** Routes that run a turn again in a fork, or in a new conversation; the original does not change. */
export function addRerunRoutes(app: Hono<Env>, inspection: Inspection): void {
  app.get(`${projectPath}/models`, (context) => getModels(context, inspection));
  app.post(`${conversationPath}/rerun`, (context) => postRerun(context, inspection));
  app.post(`${conversationPath}/edit`, (context) => postEdit(context, inspection));
}

function getModels(context: Context<Env>, inspection: Inspection): Response {
  assertInspector(context, inspection.parts);
  inspection.admit(context);
  const { models } = inspection.parts.deps;
  return context.json({ ok: true, can_name: models !== undefined, items: models?.refs() ?? [] });
}

async function postRerun(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user } = queryOf(context, whoseQuery);
  const {
    turn: wanted,
    text: edited,
    model,
    ...to
  } = parseInput(rerunRequest, await jsonOf(context));
  if (model !== undefined) requireOperator(inspection.parts.deps.auth, context.get('roles'));
  const log = await inspection.open(context, user);
  assertOwner(context, inspection.parts, log.row);
  const turn = log.archive.turns.find(({ id }) => id === wanted);
  if (!turn) throw new Refusal('not_found', `the conversation has no turn ${wanted}`);
  if (model !== undefined) await openModel(inspection, model);
  const { deps, intake } = inspection.parts;
  const original = originalOf(log.blocks, turn);
  const agent = agentOf(inspection, to.bundle === undefined ? { ...original.agent, ...to } : to);
  const conversation = await forkBefore(deps, log, turn.openSeq);
  const options = optionsFor(inspection, { options: original.options, agent, model });
  const message = {
    message_id: deps.ids.next('msg'),
    text: edited ?? original.text,
    ...(conversation !== undefined && { conversation_id: conversation }),
    ...(options && { options }),
  };
  const of = { conversation: log.row.id, turn: turn.id };
  const { signal } = log;
  const { tenant, project, user: owner } = log.row;
  const sender = { tenant, project, user: owner };
  const { ack } = await intake.take(sender, message, {
    signal,
    to: { agent, call: original.call, files: original.files, rerun: { of, model } },
  });
  if (!ack.ok) return context.json(ack, statusOfCode(ack.error.code));
  return context.json(
    { ok: true, conversation_id: ack.conversation_id, turn_id: ack.turn_id },
    202,
  );
}

type AgentName = { readonly bundle: string; readonly agent: string };
type Again = { readonly options: unknown; readonly agent: AgentName; readonly model: unknown };

/** The options of the message, with the model that its user chose if it is still the one to use. */
function optionsFor({ parts }: Inspection, { options, agent, model: named }: Again) {
  const { data } = messageOptions.safeParse(options);
  if (!data) return undefined;
  const { model, ...others } = data;
  const offered = parts.deps.bundles.allows(agent.bundle, agent.agent)?.models ?? [];
  const isKept = model !== undefined && named === undefined && offered.includes(model);
  return isKept ? data : others;
}

type Named = { readonly bundle?: string | undefined; readonly agent?: string | undefined };

function agentOf({ parts }: Inspection, { bundle, agent }: Named) {
  const { bundles } = parts.deps;
  const fallback = bundles.default();
  if (bundle === undefined) return fallback;
  const found = bundles.agent(bundle, agent);
  if (found === undefined) throw new Refusal('not_found', `agent "${bundle}/${agent}" not found`);
  return { bundle, agent: found };
}

async function openModel({ parts }: Inspection, ref: string): Promise<void> {
  const { models } = parts.deps;
  if (!models) throw new Refusal('invalid_input', 'model: this server opens no other models');
  try {
    await models.openNamed(ref);
  } catch (error) {
    if (!isFault(error) || error.kind === 'transient') throw error;
    throw new Refusal('invalid_input', `model: ${error.message}`);
  }
}

async function postEdit(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user } = queryOf(context, whoseQuery);
  const { block: seq, text: edited } = parseInput(editRequest, await jsonOf(context));
  requireOperator(inspection.parts.deps.auth, context.get('roles'));
  const log = await inspection.open(context, user);
  assertOwner(context, inspection.parts, log.row);
  const block = log.blocks.find((each) => each.seq === seq);
  if (block?.type !== 'react.tool.result') {
    throw new Refusal('invalid_input', `block ${seq} is not the result of a call`);
  }
  const row = await continueWithResult(inspection.parts.deps, { log, block, text: edited });
  return context.json({ ok: true, conversation_id: row.id, turn_id: block.turn }, 202);
}
