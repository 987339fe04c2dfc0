import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type AgentDirectory,
  createAgentDirectory,
} from '../../../../runtime/cli/wiring/agent-directory.ts';
import type { RuntimeBundle } from '../../../../runtime/sdk/contract/runtime-bundle.ts';
import { defineAgent, defineBundle, defineEvent } from '../../../../runtime/sdk/index.ts';
import { compile } from '../../sdk/kit.ts';

const agent = (id: string) => defineAgent({ id, instruction: 'Help.' });
const alert = defineEvent({ kind: 'alert', payload: z.string(), reactive: true, text: (it) => it });

let bundles: readonly [RuntimeBundle, RuntimeBundle];
let agents: AgentDirectory;
beforeAll(async () => {
  bundles = [
    await compile(
      defineBundle({ id: 'desk', version: '1', agents: [agent('oncall'), agent('night')] }),
    ),
    await compile(
      defineBundle({ id: 'notes', version: '1', agents: [agent('scribe')], events: [alert] }),
    ),
  ];
  agents = createAgentDirectory(bundles, { first: undefined });
});

function chosen({ bundle, agent: id }: { bundle?: string; agent?: string }, from = agents) {
  return from.choose({ bundle, agent: id });
}

test('by default, the first agent of the first bundle answers', () => {
  expect(agents.default()).toEqual({ bundle: 'desk', agent: 'oncall' });
  expect(chosen({})?.id).toBe('oncall');
  expect(chosen({ agent: 'night' })?.id).toBe('night');
});

test('the configured default bundle overrides the first one', () => {
  const named = createAgentDirectory(bundles, { first: 'notes' });
  expect(named.default()).toEqual({ bundle: 'notes', agent: 'scribe' });
  expect(chosen({}, named)?.bundle).toBe('notes');
});

test('an agent belongs to its bundle', () => {
  expect(agents.agent('notes')).toBe('scribe');
  expect(agents.agent('desk', 'night')).toBe('night');
  expect(agents.agent('notes', 'night')).toBeUndefined();
  expect(chosen({ bundle: 'notes', agent: 'oncall' })).toBeUndefined();
});

test('unknown names return undefined, also names that every object has', () => {
  for (const name of ['gone', '', 'constructor', '__proto__']) {
    expect(chosen({ bundle: name })).toBeUndefined();
    expect(agents.agent('desk', name)).toBeUndefined();
    expect(agents.kind(name, 'alert')).toBeUndefined();
    expect(agents.kind('notes', name)).toBeUndefined();
    expect(agents.widgets(name)).toEqual([]);
  }
});

test('an event kind belongs to one bundle and is unknown to the other', () => {
  expect(agents.kind('notes', 'alert')).toMatchObject({ kind: 'alert', reactive: true });
  expect(agents.kind('desk', 'alert')).toBeUndefined();
});
