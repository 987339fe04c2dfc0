import { z } from 'zod';
import type { Json } from '../../base/json.ts';
import { countsText, stepLine } from '../../timeline/plans/plan-text.ts';
import { changePlan } from '../../timeline/plans/plans.ts';
import { createTool } from '../definition/create-tool.ts';

export const planTool = createTool({
  id: 'react.plan',
  kind: 'control',
  traits: ['neutral'],
  concurrency: 'alone',
  description:
    'Keeps your plan. new: begins one (steps); replace: other steps instead of a plan; activate: makes an open plan the current one; close: ends one. ' +
    'Report progress not here but by marks in your notes.',
  input: z.object({
    // Any text is accepted here, so that the error for an unknown mode can list the modes.
    mode: z.string().meta({ enum: ['new', 'replace', 'activate', 'close'] }),
    plan_id: z
      .string()
      .optional()
      .describe('for activate; replace and close mean the current plan without it'),
    steps: z.array(z.string()).optional().describe('for new and replace: one short sentence each'),
  }),
  run: async ({ mode, plan_id, steps }, { view, turn, call, now }) => {
    const command = {
      mode,
      ...(plan_id === undefined ? {} : { plan_id }),
      ...(steps ? { steps } : {}),
    };
    const changed = changePlan(view, command, { turn, call, now });
    if (!changed.ok) {
      const { code, message } = changed;
      return { result: { ok: false, error: { code, message, retryable: false } } };
    }
    const { plan, replaced, drafts } = changed;
    const ret: Json = { plan_id: plan.plan_id, mode, current: plan.current, status: plan.status };
    const lines = plan.steps.map((_, index) => stepLine(plan, index + 1));
    const before = replaced ? ` · in place of ${replaced.plan_id} (${countsText(replaced)})` : '';
    const head = `${plan.plan_id} · ${mode === 'close' ? 'closed' : 'current'}${before}`;
    return {
      result: { ok: true, ret },
      preview: [head, ...lines].join('\n'),
      blocks: drafts.map((draft) => ({ ...draft, call })),
    };
  },
});
