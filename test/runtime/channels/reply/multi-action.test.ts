import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MultiAction } from '../../../../runtime/channels/reply/rules.ts';
import { answer, call, code, read, thinking } from './replies.ts';

const oneOf = fc.constantFrom(
  call('web.search'),
  call('react.write', { path: 'files/a.md' }),
  call('react.plan'),
  call('odd.tool'),
  call('no.such'),
  call('exec.python') + code('print(1)'),
  call('exec.python'),
  answer('A'),
  '<channel:action>nonsense</channel:action>',
);

function ran(output: string, multiAction: MultiAction, actionsMax?: number) {
  const { actions, violations } = read(output, {
    multiAction,
    ...(actionsMax === undefined ? {} : { actionsMax }),
  });
  const run = actions.filter(({ declined }) => declined === undefined);
  return {
    run: run.map(({ decision }) => decision.tool_call?.tool_id ?? decision.action),
    declined: actions.flatMap(({ declined, decision }) =>
      declined === undefined ? [] : [`${decision.tool_call?.tool_id}: ${declined}`],
    ),
    violations: violations.map(({ code }) => code),
  };
}

// proves: multi-action.bundle
test('a bundle runs all its calls in order, whatever their traits', () => {
  const tools = ['web.search', 'odd.tool', 'react.write', 'no.such', 'exec.python'];
  const program = code('print(1)');
  const output = thinking + tools.map((tool) => call(tool)).join('') + program;
  expect(ran(output, 'bundle', 8)).toEqual({ run: tools, declined: [], violations: [] });
});

// proves: multi-action.bundle
test('a bundle declines the ninth call and up to seven more, and ends the reply with the next one', () => {
  const output = Array.from({ length: 20 }, () => call('web.search')).join('');
  const { run, declined, violations } = ran(output, 'bundle', 20);
  expect([run.length, declined.length]).toEqual([8, 8]);
  expect(declined[0]).toContain('A reply may hold 8 actions');
  expect(violations).toEqual(['multi_action_bundle_too_many_actions']);
});

// proves: multi-action.first-only
test('first_only runs the first call and declines the others with their programs', () => {
  const output = call('web.search') + call('exec.python') + code('print(1)') + call('odd.tool');
  const { run, declined, violations } = ran(output, 'first_only');
  expect(run).toEqual(['web.search']);
  expect(declined).toHaveLength(2);
  expect(violations).toEqual([]);
  expect(read(output, { multiAction: 'first_only' }).actions[1]?.code?.text).toBe('print(1)');
});

// proves: multi-action.bundle
test('an answer beside a call whose result is unknown is a violation, and the calls run', () => {
  expect(ran(call('web.search') + answer('A'), 'bundle')).toEqual({
    run: ['web.search'],
    declined: [],
    violations: ['multi_action_bundle_final_answer_after_non_neutral'],
  });
});

// proves: multi-action.bundle
test('a call that writes the file of an earlier call is declined', () => {
  const write = call('react.write', { path: 'files/a.md', content: 'x' });
  const { run, declined } = ran(write + write + call('web.search'), 'bundle');
  expect(run).toEqual(['react.write', 'web.search']);
  expect(declined).toHaveLength(1);
});

// proves: multi-action.bundle
test('calls behind an unreadable one are declined, and without a usable call nothing is', () => {
  const broken = '<channel:action>{"action":"call_tool","tool_call":3}</channel:action>';
  expect(ran(call('odd.tool') + broken + call('web.search'), 'bundle')).toMatchObject({
    run: ['odd.tool'],
    declined: [expect.stringContaining('web.search')],
    violations: ['action_schema_error'],
  });
  expect(ran(broken + call('web.search'), 'bundle')).toMatchObject({ run: [], declined: [] });
});

// proves: multi-action.bundle, multi-action.first-only
test('whatever a reply holds, the limit holds and every readable call runs, is declined or is named in the violation', () => {
  const mode = fc.constantFrom<MultiAction>('first_only', 'bundle');
  fc.assert(
    fc.property(mode, fc.array(oneOf, { maxLength: 12 }), (multiAction, decisions) => {
      const reading = read(decisions.join('\n'), { multiAction, actionsMax: 8 });
      const run = reading.actions.filter(({ declined }) => declined === undefined);
      expect(run.length).toBeLessThanOrEqual(multiAction === 'bundle' ? 8 : 1);
      expect(reading.violations.length).toBeLessThanOrEqual(1);
      if (run.length === 0) expect(reading.actions).toEqual([]);
      const dropped = Number(reading.violations[0]?.detail['dropped_actions'] ?? 0);
      const isStray = reading.violations[0]?.code.startsWith('code_channel') ?? false;
      const counted =
        reading.actions.length + dropped + (reading.violations.length - Number(isStray));
      if (decisions.length > 0) expect(counted).toBe(decisions.length);
    }),
  );
});
