import type { Json, JsonObject } from '../../../base/json.ts';
import type { PlanAnswer } from '../../ports/agent-answer.ts';
import type { TurnServices } from '../../ports/call-services.ts';
import type { ToolOutcome } from '../../ports/tool.ts';
import { adoptSources } from '../../results/adopt-sources.ts';
import { cutText } from '../../text/cut-text.ts';
import { readAnswerChars, stepAnswerChars } from '../limits.ts';

type Step = PlanAnswer['steps'][number];

/**
 * The result of a plan. The answers of its steps are cut, those that other steps have read more than the others: the whole
 * answers stay in the conversations of the steps.
 */
export async function planReport(
  { steps, verdict, replansLeft }: PlanAnswer,
  services: Pick<TurnServices, 'addSources'>,
): Promise<ToolOutcome> {
  const rows: JsonObject[] = [];
  const texts: string[] = [];
  for (const step of steps) {
    const { row, text } = await reportStep(step, services);
    rows.push(row);
    texts.push(text);
  }
  const isOpen = verdict?.achieved === false;
  const ret: Json = {
    steps: rows,
    ...(verdict ? { achieved: verdict.achieved } : {}),
    ...(isOpen ? { missing: verdict.missing } : {}),
    replans_left: replansLeft,
  };
  const outlook =
    replansLeft > 0
      ? `You may run ${replansLeft} more ${replansLeft === 1 ? 'plan' : 'plans'} in this turn; its steps may need steps of this one that ended ok.`
      : 'No further plan runs in this turn. Answer with what you have, and say what is missing.';
  const judged = isOpen ? [`Not achieved yet: ${verdict.missing}`, outlook] : [];
  const preview = [headOf(steps, verdict), ...texts, ...judged].join('\n\n');
  return { result: { ok: true, ret }, preview };
}

function headOf(steps: readonly Step[], verdict: PlanAnswer['verdict']): string {
  const done = steps.filter(({ error }) => !error).length;
  const checked = verdict
    ? verdict.achieved
      ? ', and they are enough'
      : ', and they are not enough'
    : '';
  return `${done} of ${steps.length} steps ended ok${checked}.`;
}

type StepReport = { readonly row: JsonObject; readonly text: string };

async function reportStep(
  { answer: said, error, ...step }: Step,
  services: Pick<TurnServices, 'addSources'>,
): Promise<StepReport> {
  const { id, agent, conversation } = step;
  const place = conversation === undefined ? {} : { conversation };
  if (!said || error) {
    const { code = 'unknown', message = '' } = error ?? {};
    const row = { id, agent, ok: false, error: { code, message }, ...place };
    return { row, text: `[${id}] ${code}: ${message}` };
  }
  const { answer, output, cited } = await adoptSources(said, services);
  const { files } = said;
  const shown = shownAnswer(answer, step);
  const row: JsonObject = {
    ...{ id, agent, ok: true, ...place, ...shown.fields },
    ...(output === undefined ? {} : { output }),
    ...(files.length > 0 ? { files } : {}),
    ...(cited.length > 0 ? { sources: [...cited] } : {}),
  };
  const fileLine = files.length > 0 ? [`Files: ${files.join(', ')}`] : [];
  return { row, text: [`[${id}] ok`, ...shown.lines, ...fileLine].join('\n') };
}

/** An answer that is too long is cut, with the path of the whole answer. */
function shownAnswer(answer: string, { isNeeded, path }: Pick<Step, 'isNeeded' | 'path'>) {
  const most = isNeeded ? readAnswerChars : stepAnswerChars;
  if (answer.length <= most) return { fields: { answer }, lines: [answer] };
  const cut = `${cutText(answer, most)}…`;
  if (path === undefined) return { fields: { answer: cut }, lines: [cut] };
  const lines = [cut, `(cut; the whole answer: ${path})`];
  return { fields: { answer: cut, whole: path }, lines };
}
