import { expect, test } from 'vitest';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { hideTool } from '../../../../runtime/tools/react/hide.ts';
import { planTool } from '../../../../runtime/tools/react/plan.ts';
import { blocksOf, error, openWorld, past, ret, turn } from '../kit.ts';

// proves: tools.plan
test('a plan is started, replaced and closed; the fold shows each change as a snapshot', async () => {
  const world = await openWorld();
  const begun = ret(await world.perform(planTool, { mode: 'new', steps: ['look', 'act'] }));
  const first = isJsonObject(begun) ? begun['plan_id'] : '';
  expect((await world.view()).plans).toMatchObject([
    { plan_id: first, current: true, steps: ['look', 'act'] },
  ]);
  const replacing = await world.perform(planTool, { mode: 'replace', steps: ['only act'] });
  const [old, now] = (await world.view()).plans;
  expect(replacing.preview).toContain(
    `${now?.plan_id} · current · in place of ${old?.plan_id} (0 of 2 done)\n□ [1] only act`,
  );
  expect(old).toMatchObject({ current: false, superseded_by_plan_id: now?.plan_id });
  const closed = await world.perform(planTool, { mode: 'close' });
  expect(closed.preview).toContain('closed');
  expect((await world.view()).plans.some(({ current }) => current)).toBe(false);
});

test('a mistake about plans is an error that lists the plans, and ends nothing', async () => {
  const world = await openWorld();
  expect(error(await world.perform(planTool, { mode: 'new', steps: [] }))?.code).toBe('plan_steps');
  expect(error(await world.perform(planTool, { mode: 'activate' }))?.code).toBe(
    'plan_target_required',
  );
  expect(error(await world.perform(planTool, { mode: 'close', plan_id: 'plan:x' }))?.code).toBe(
    'plan_target_missing',
  );
  const wrong = await world.perform(planTool, { mode: 'dance' });
  expect(error(wrong)).toMatchObject({ code: 'plan_mode', retryable: false });
  expect(JSON.stringify(planTool.spec.parameters)).toContain('"enum":["new","replace"');
});

test('every past plan can be read with its state', async () => {
  const world = await openWorld();
  await world.perform(planTool, { mode: 'new', steps: ['look'] });
  await world.perform(planTool, { mode: 'replace', steps: ['act'] });
  const path = `ar:${turn}.react.plan.history`;
  const { services } = await world.contextOf(planTool, {});
  const text = (await services.read(path))?.text ?? '';
  const [old, now] = (await world.view()).plans.map(({ plan_id }) => plan_id);
  expect(text).toContain(`${old} (replaced by ${now})\n  □ [1] look\n`);
  expect(text).toContain(`${now} (current)\n  □ [1] act\n`);
});

// proves: tools.hide
test('a text near the end is replaced by the text of the agent, with a hint on how to show it again', async () => {
  const world = await openWorld();
  const path = `ar:${past}.user.prompt`;
  const performed = await world.perform(hideTool, { path, replacement: 'a greeting' });
  expect(ret(performed)).toMatchObject({ path, status: 'hidden', blocks_hidden: 1 });
  expect(blocksOf(performed, 'view.hide')).toHaveLength(1);
  expect(blocksOf(performed, 'cache.break')).toMatchObject([{ data: { cause: 'hide' } }]);
  expect((await world.view()).hidden.get(toBlockPath(path))).toBe(
    'a greeting\n[hidden: react.read ar:t1.user.prompt shows it]',
  );
});

test('a path can be hidden by its alias, and a path that is not shown cannot be hidden', async () => {
  const world = await openWorld();
  const data = { stream: 's', n: 1, degraded: false };
  const completion = { turn, type: 'assistant.completion', author: 'agent' as const, data };
  const path = `ar:${turn}.assistant.completion.1`;
  await world.append([{ ...completion, path: toBlockPath(path), text: 'an answer' }]);
  const asked = `conv:ar:${turn}.assistant.completion`;
  expect(ret(await world.perform(hideTool, { path: asked }))).toMatchObject({ path });
  const none = await world.perform(hideTool, { path: 'so:sources_pool[1]' });
  expect(error(none)?.code).toBe('not_found');
  await world.append([
    {
      turn,
      type: 'view.prune',
      author: 'system',
      data: {
        cause: 'test',
        turns: [{ turn: past, text: 'pruned' }],
        paths: [],
        tokens_before: 2,
        tokens_after: 1,
      },
    },
  ]);
  expect((await world.view()).pruned.size).toBe(1);
  const pruned = await world.perform(hideTool, { path: `ar:${past}.user.prompt` });
  expect(error(pruned)?.code).toBe('not_found');
});

test('a text far from the end is not hidden, and an unknown path is not found', async () => {
  const world = await openWorld();
  const text = 'many different words here '.repeat(900);
  await world.append([
    { turn, type: 'round.close', author: 'system', data: { round: 1, outcome: 'acted' } },
  ]);
  await world.append([
    {
      turn,
      type: 'external.followup',
      author: 'user',
      event: 'msg_9',
      path: toBlockPath(`ar:${turn}.external.followup.msg_9`),
      text,
    },
  ]);
  expect(error(await world.perform(hideTool, { path: `ar:${past}.user.prompt` }))?.code).toBe(
    'too_old',
  );
  expect(error(await world.perform(hideTool, { path: 'ar:turn_9.user.prompt' }))?.code).toBe(
    'not_found',
  );
  expect(error(await world.perform(hideTool, {}))?.code).toBe('invalid_input');
});
