import { afterAll, describe, expect, test } from 'vitest';
import { Cancelled } from '../../../runtime/base/signal.ts';
import { callModel } from '../../../runtime/engine/model/internal-call.ts';
import { usageOf } from '../../../runtime/engine/model/usage.ts';
import type { Model } from '../../../runtime/engine/ports/model.ts';
import { agentDefaults } from '../../../runtime/sdk/contract/agent-settings.ts';
import type { ToolResult } from '../../../runtime/tools/ports/tool.ts';
import { openHarness as openTurns } from '../../runtime/engine/kit/harness.ts';
import { envelope, execTool } from '../../runtime/tools/exec/kit.ts';
import { openDesk, removeBuilt } from './kit.ts';

afterAll(removeBuilt);

const small = (answer: string, hold?: string) =>
  ({ role: 'small', answer, ...(hold === undefined ? {} : { hold }) }) as const;
const ask = { call: { tool: 'desk.thinks' } } as const;
const done = { answer: 'ok' } as const;

// proves: budget.separate
/** What a tool asks of models is the turn's to pay, wherever its code runs. */
describe.each(['in_worker', 'separate'] as const)(
  'models asked by tools of a bundle, %s',
  (where) => {
    let model: Model | undefined;
    const open = openDesk({
      where,
      host: {
        generate: async (request, { ids: _, ...options }) => {
          if (!model) throw new Error('a turn comes first');
          return callModel(model, request, options);
        },
      },
    });
    afterAll(async () => (await open)[Symbol.asyncDispose]());

    /** A worker whose agent has the tools, and the model that answers them too. */
    async function openTurn(
      replies: Parameters<typeof openTurns>[0],
      options: Parameters<typeof openTurns>[1] = {},
    ) {
      const turns = await openTurns(replies, options);
      model = turns.model;
      return turns;
    }

    test('each answer is charged to the turn under the call that asked, before its result', async () => {
      const tools = [(await open).tool('thinks')];
      await using turns = await openTurn([ask, small('yes'), small('{"n":7}'), done], { tools });
      await turns.say('go');
      const blocks = await turns.closed();
      const call = blocks.find(({ type }) => type === 'react.tool.call')?.call;
      const charged = blocks.filter((block) => block.type === 'model.call' && block.call === call);
      expect(charged).toMatchObject([{ data: { role: 'small' } }, { data: { role: 'small' } }]);
      expect(usageOf(charged)['output_tokens']).toBeGreaterThan(1);
      const result = blocks.find(({ type }) => type === 'react.tool.result');
      expect(result?.data).toMatchObject({ ok: true, ret: ['yes', { n: 7 }] });
      expect(result?.seq).toBeGreaterThan(charged[1]?.seq ?? Infinity);
    });

    test('once the budget is used up the tool reads so', async () => {
      const tools = [(await open).tool('thinks')];
      const agent = { budgets: { ...agentDefaults.budgets, tokens: 10 } };
      await using turns = await openTurn([ask, done], { tools, agent });
      await turns.say('go');
      const blocks = await turns.closed();
      const result = blocks.find(({ type }) => type === 'react.tool.result');
      expect(result?.data).toMatchObject({ ok: false, error: { code: 'budget_exhausted' } });
    });

    test('of two calls of a program one is stopped, and the answer that the other waits for comes', async () => {
      const stops = [new AbortController(), new AbortController()] as const;
      const ended: Promise<ToolResult>[] = [];
      const program = execTool(async function* (request, host) {
        const call = (id: string, { signal }: AbortController) =>
          host.callTool({ id, tool: 'desk.thinks', input: {}, reason: '' }, { signal });
        ended.push(call('c1', stops[0]));
        await turns.model.held('first');
        ended.push(call('c2', stops[1]));
        await turns.model.held('second');
        stops[0].abort(new Cancelled('steer'));
        await ended[0];
        turns.model.release('second');
        await ended[1];
        yield envelope(request);
      });
      const python = { code: 'x', call: { tool: 'exec_tools.execute_code_python' } } as const;
      const answers = [small('a', 'first'), small('b', 'second'), small('{"n":2}')];
      const tools = [program, (await open).tool('thinks')];
      await using turns = await openTurn([python, ...answers, done], { tools });
      await turns.say('go');
      await turns.closed();
      expect(await Promise.all(ended)).toMatchObject([
        { ok: false, error: { code: 'interrupted' } },
        { ok: true, ret: ['b', { n: 2 }] },
      ]);
    });
  },
);
