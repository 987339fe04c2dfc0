import type { Context, Hono } from 'hono';
import { stringify } from 'yaml';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { caseFromLog } from '../../engine/inspect/case-from-log.ts';
import { requireOperator } from '../auth/operators.ts';
import type { Env } from '../http/context.ts';
import { jsonOf, parseInput } from '../input/parse-input.ts';
import { queryOf } from '../input/parse-query.ts';
import type { EvalReports } from '../ports/eval-reports.ts';
import { assertInspector, whose } from './access.ts';
import { conversationPath, type Inspection, projectPath } from './inspection.ts';
import { evalCasesMax } from './log/limits.ts';

export const asCaseQuery = z.object({ ...whose, turn: z.string().max(200).optional() });

export const evalRequest = z.strictObject({
  folder: z.string().min(1).max(4_000),
  /** Absent: all cases. */
  case: z.string().min(1).max(1_000).exactOptional(),
  /** Absent: the model of the installation. */
  model: z.string().min(1).max(300).exactOptional(),
});
export const evalStopRequest = evalRequest.pick({ folder: true });

/** Routes that show and run evals, and make a case of them from a conversation. */
export function addEvalRoutes(app: Hono<Env>, inspection: Inspection): void {
  app.get(`${projectPath}/evals`, (context) => getEvals(context, inspection));
  app.post(`${projectPath}/evals/run`, (context) => postRun(context, inspection));
  app.post(`${projectPath}/evals/stop`, (context) => postStop(context, inspection));
  app.get(`${conversationPath}/as-case`, (context) => getCase(context, inspection));
}

async function getEvals(context: Context<Env>, inspection: Inspection): Promise<Response> {
  assertInspector(context, inspection.parts);
  inspection.admit(context);
  const reports = (await inspection.parts.deps.evals?.read()) ?? [];
  const items = reports.map(({ cases, ...report }) => ({
    ...report,
    cases: cases.slice(0, evalCasesMax),
    omitted: Math.max(0, cases.length - evalCasesMax),
  }));
  return context.json({ ok: true, items });
}

async function postRun(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { folder, ...choice } = parseInput(evalRequest, await jsonOf(context));
  await operatedEvals(context, inspection).start(folder, choice);
  return context.json({ ok: true }, 202);
}

async function postStop(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { folder } = parseInput(evalStopRequest, await jsonOf(context));
  operatedEvals(context, inspection).stop(folder);
  return context.json({ ok: true });
}

/** Refusals `forbidden` and `not_found`. */
function operatedEvals(context: Context<Env>, inspection: Inspection): EvalReports {
  const { auth, evals } = inspection.parts.deps;
  requireOperator(auth, context.get('roles'));
  inspection.admit(context);
  if (!evals) throw new Refusal('not_found', 'this server has no evals');
  return evals;
}

/** Of the turn that was rated last, unless the request names one. */
async function getCase(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user, turn: wanted } = queryOf(context, asCaseQuery);
  const { blocks } = await inspection.open(context, user);
  const { turn, content, attachments } = caseFromLog(blocks, wanted);
  return context.json({
    ...{ ok: true, turn, file: `${turn}.yaml`, text: stringify(content) },
    attachments: attachments.map(({ filename }) => filename),
  });
}
