import type { Context, Hono } from 'hono';
import { stringify } from 'yaml';
import { z } from 'zod';
import { caseFromLog } from '../../engine/inspect/case-from-log.ts';
import type { Env } from '../http/context.ts';
import { queryOf } from '../input/parse-query.ts';
import { assertInspector, whose } from './access.ts';
import { conversationPath, type Inspection, projectPath } from './inspection.ts';
import { evalCasesMax } from './log/limits.ts';

export const asCaseQuery = z.object({ ...whose, turn: z.string().max(200).optional() });

/** Routes that show evals, and make a case of them from a conversation. */
export function addEvalRoutes(app: Hono<Env>, inspection: Inspection): void {
  app.get(`${projectPath}/evals`, (context) => getEvals(context, inspection));
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
