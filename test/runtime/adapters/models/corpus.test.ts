import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../architecture/tree.ts';

const folder = join(root, 'test/golden/model-streams');
const wires = ['anthropic', 'chat', 'responses', 'gemini'] as const;

/** Why a wire cannot have a case. */
const whole = 'names and ids come whole, in one event';
const none = 'a call has neither an index nor an id';

/** The recorded streams of each case, by wire; or why there are none. */
const cases: Readonly<Record<string, Readonly<Record<(typeof wires)[number], string>>>> = {
  text: { anthropic: 'text', chat: 'text', responses: 'text', gemini: 'text' },
  'parallel calls': {
    ...{ anthropic: 'parallel-calls', chat: 'parallel-calls' },
    ...{ responses: 'parallel-calls', gemini: 'parallel-calls' },
  },
  'an index that is used twice': {
    ...{ anthropic: 'index-reuse', chat: 'index-reuse', responses: 'index-reuse' },
    gemini: none,
  },
  'a name in pieces': {
    ...{ anthropic: whole, chat: 'split-name', responses: whole },
    // Its arguments may come in pieces.
    gemini: 'streamed-arguments',
  },
  'calls without ids': {
    ...{ anthropic: 'missing-ids', chat: 'missing-ids', responses: 'missing-ids' },
    gemini: 'parallel-calls',
  },
  'empty arguments': {
    ...{ anthropic: 'empty-arguments', chat: 'empty-arguments' },
    ...{ responses: 'empty-arguments', gemini: 'empty-arguments' },
  },
  thinking: {
    anthropic: 'thinking',
    chat: 'reasoning',
    responses: 'reasoning',
    gemini: 'thinking',
  },
  'a refusal': { anthropic: 'refusal', chat: 'refusal', responses: 'refusal', gemini: 'refusal' },
  'the output limit': {
    ...{ anthropic: 'truncated-call', chat: 'truncated-call' },
    ...{ responses: 'truncated-call', gemini: 'truncated' },
  },
  'a connection that is cut': {
    ...{ anthropic: 'cut-in-call.cut', chat: 'cut-in-call.cut' },
    ...{ responses: 'cut-in-call.cut', gemini: 'cut-after-call.cut' },
  },
  'an error behind the beginning': {
    ...{ anthropic: 'overloaded', chat: 'error-in-stream' },
    ...{ responses: 'failed', gemini: 'error-in-stream' },
  },
  'no end': {
    ...{ anthropic: 'no-finish', chat: 'no-finish', responses: 'no-finish', gemini: 'no-finish' },
  },
};

// proves: models.recorded-streams
test.each(wires)('there is a stream of every case in the form of %s', (wire) => {
  const files = readdirSync(join(folder, wire));
  for (const [name, of] of Object.entries(cases)) {
    const said = of[wire];
    if (said === whole || said === none) continue;
    expect(files, name).toContain(`${said}.sse`);
  }
});
