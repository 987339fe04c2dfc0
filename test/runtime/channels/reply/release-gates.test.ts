import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DecisionReader } from '../../../../runtime/channels/decision/decision-reader.ts';
import { readingDecisions } from '../../../../runtime/channels/readers/read-decisions.ts';
import type { ReplyRules } from '../../../../runtime/channels/reply/read-reply.ts';
import { createReleaseGates } from '../../../../runtime/channels/reply/release-gates.ts';
import { multiActions } from '../../../../runtime/channels/reply/rules.ts';
import { createScanner } from '../../../../runtime/channels/scan/scanner.ts';
import { answer, call, read, rules } from './replies.ts';

// proves: channels.decision

test('a decision has an identity once action and tool are complete, in any order', () => {
  const reader = new DecisionReader();
  const push = (text: string) => {
    reader.push(text);
    return reader.identity;
  };
  expect(push('{"notes":"n","tool_call":{"params":{},"tool_id":"web.search"},')).toBeUndefined();
  expect(push('"action":"call_tool')).toBeUndefined();
  expect(push('"')).toEqual({ action: 'call_tool', tool: 'web.search' });
});

test('a tool call is allowed in the action lane only, an answer in both', () => {
  const gates = createReleaseGates(rules);
  const states = (each: number) => [gates.state(each, 'action'), gates.state(each, 'answer')];
  expect(states(0)).toEqual(['pending', 'pending']);
  gates.identify(0, { action: 'call_tool', tool: 'react.plan' });
  gates.identify(1, { action: 'complete' });
  gates.identify(2, { action: 'call_tool', tool: 'web.search' });
  expect([states(0), states(1), states(2)]).toEqual([
    ['allowed', 'denied'],
    ['allowed', 'allowed'],
    ['denied', 'denied'],
  ]);
});

test('a gate counts the shown text and keeps the answers', () => {
  const gates = createReleaseGates(rules);
  gates.deliver(0, 'answer', 'ab');
  gates.deliver(0, 'answer', 'c');
  expect(gates.delivered).toEqual([{ instance: 0, lane: 'answer', chars: 3 }]);
  expect([...gates.answers]).toEqual([[0, 'abc']]);
});

test('gates and the evaluation of the whole reply agree, also for a reply stopped at a denial', () => {
  const decision = fc.constantFrom(
    ...['web.search', 'react.write', 'react.plan', 'crm.sync', 'odd.tool', 'no.such'].map((tool) =>
      call(tool),
    ),
    answer('A'),
    '<channel:action>nonsense</channel:action>',
  );
  const mode = fc.constantFrom(...multiActions);
  fc.assert(
    fc.property(mode, fc.array(decision, { maxLength: 20 }), (multiAction, decisions) => {
      const output = decisions.join('\n');
      const own = { ...rules, multiAction };
      const { denied, allowed, stoppedAt } = gate(output, own);
      const reading = read(output, own);
      const instances = reading.actions
        .filter(({ declined }) => declined === undefined)
        .map(({ instance }) => instance)
        .toSorted((a, b) => a - b);
      expect(instances).toEqual(allowed);
      // After an unusable decision the reading names that one, the gates only what may not follow it.
      if (denied === undefined || denied === 'multi_action_bundle_after_rejected') return;
      expect(reading.violations[0]?.code).toBe(denied);
      expect(read(output.slice(0, stoppedAt), own).violations[0]?.code).toBe(denied);
    }),
  );
});

/** Streams the output through scanner, decision readers and gates, as an engine does, up to the first denial. */
function gate(output: string, own: ReplyRules) {
  const gates = createReleaseGates(own);
  const allowed: number[] = [];
  const known = new Set<number>();
  let reader: DecisionReader | undefined;
  for (const { at, event } of character(output)) {
    if (event.kind === 'opened') reader = event.decision;
    const identity = event.kind === 'text' && reader?.identity;
    if (!identity || known.has(event.instance)) continue;
    known.add(event.instance);
    const verdict = gates.identify(event.instance, identity);
    if (verdict.kind === 'refused')
      return { denied: verdict.violation.code, allowed, stoppedAt: at + 1 };
    if (verdict.kind === 'accepted') allowed.push(event.instance);
  }
  return { allowed };
}

/** The events of an output that comes character by character, each with the place it was known at. */
function* character(output: string) {
  const scanner = createScanner();
  const read = readingDecisions();
  for (const [at, char] of [...output].entries()) {
    for (const event of read(scanner.push(char))) yield { at, event };
  }
}
