import { expect, test } from 'vitest';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { type Protocol, protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { openHarness } from '../kit/harness.ts';
import { able } from './protocol-kit.ts';

const look: Reply = { call: { tool: 'math.add', input: { a: 2, b: 3 } } };
const brief: Reply = { answer: 'sum 5' };
const both: Reply = { answer: 'sums 5 and 7' };
const half: Reply = { role: 'answer', answer: 'The sum {{hold}}is 5.', hold: 'half' };
const last: Reply = { role: 'answer', answer: 'They are 5 and 7.' };
const all = able({ tools: true, forcedChoice: true, json: true });

const outcomes = (blocks: readonly Block[]) =>
  blocks.flatMap(({ type, data }) =>
    type === 'round.close' && isJsonObject(data) ? [data['outcome']] : [],
  );

async function play(protocol: Protocol, promptForm: 'text' | 'messages') {
  const agent = { protocol, promptForm, answer: 'synthesize' } as const;
  await using harness = await openHarness([look, brief, half, both, last], { agent, through: all });
  await harness.say('What is 2 + 3?');
  await harness.model.held('half');
  await harness.say('and 3 + 4?', { kind: 'followup' });
  const blocks = await harness.closed();
  const records = harness.model.requests.filter(({ role }) => role === 'answer');
  const shown = (await harness.frames()).flatMap((frame) =>
    frame.kind === 'delta' && frame.marker === 'answer' ? [frame.text] : [],
  );
  return { blocks, shown: shown.join('|'), record: records.at(-1)?.text ?? '' };
}

// proves: answer.synthesize, answer.record
test.each(protocols.flatMap((each) => [[each, 'text'] as const, [each, 'messages'] as const]))(
  'the answer of a turn in %s with a prompt as %s is written from the same record',
  async (protocol, form) => {
    const { blocks, shown, record } = await play(protocol, form);
    expect(outcomes(blocks)).toEqual(['acted', 'ready', 'interrupted', 'ready', 'answered']);
    expect(shown).not.toContain('sum 5');
    expect(shown).not.toContain('sums 5');
    expect(record).toMatch(/2 \+ 3[\s\S]*math\.add[\s\S]*TOOL RESULT[\s\S]*and 3 \+ 4\?/);
    expect(record).toContain('sums 5 and 7');
    const answers = blocks.filter(({ type }) => type === 'assistant.completion');
    expect(answers.map(({ text }) => text)).toEqual(['The sum', 'They are 5 and 7.']);
  },
);
