import { expect, test } from 'vitest';
import { z } from 'zod';
import { LiveAgents } from '../../../../runtime/cli/wiring/live-agents.ts';
import type { RuntimeBundle } from '../../../../runtime/sdk/contract/runtime-bundle.ts';
import { defineAgent, defineBundle, defineOperation } from '../../../../runtime/sdk/index.ts';
import { patient } from '../../../tools/machine-speed.ts';
import { compile } from '../../sdk/kit.ts';

/** A bundle whose agent and operation return their revision. */
async function open(
  text: string,
  journal: string[],
  run = async () => text,
): Promise<RuntimeBundle> {
  return compile(
    defineBundle({
      ...{ id: 'desk', version: '1', dispose: () => void journal.push(`dispose ${text}`) },
      agents: [defineAgent({ id: 'main', instruction: text })],
      operations: [defineOperation({ id: 'say', input: z.object({}), run })],
    }),
  );
}

const failed = (error: unknown) => {
  throw error;
};
const asked = { bundle: 'desk', agent: undefined };

test('a turn keeps the bundles it began with, the next uses the newest, and unused ones are disposed of', async () => {
  const journal: string[] = [];
  const live = new LiveAgents([await open('one', journal)], { first: undefined, failed });
  const hold = live.hold();
  const instructionOf = (turn: string) => hold.agent({ ...asked, turn })?.instruction;
  expect(instructionOf('turn_1')).toBe('one');
  live.replace([await open('two', journal)]);
  expect([instructionOf('turn_1'), live.engage(asked)?.instruction]).toEqual(['one', 'two']);
  expect(journal).toEqual([]);
  expect(instructionOf('turn_2')).toBe('two');
  live.replace([await open('three', journal)]);
  hold[Symbol.dispose]();
  await live[Symbol.asyncDispose]();
  expect(journal).toEqual(['dispose one', 'dispose two']);
});

test('unused bundles are disposed of at once', async () => {
  const journal: string[] = [];
  const live = new LiveAgents([await open('one', journal)], { first: undefined, failed });
  live.replace([await open('two', journal)]);
  await live[Symbol.asyncDispose]();
  expect(journal).toEqual(['dispose one']);
});

test('a running operation keeps its bundle', async () => {
  const journal: string[] = [];
  let answer: (text: string) => void = () => undefined;
  const answered = new Promise<string>((resolve) => {
    answer = resolve;
  });
  const first = await open('one', journal, () => answered);
  const live = new LiveAgents([first], { first: undefined, failed });
  const request = {
    method: 'POST',
    url: 'http://desk.test/say',
    headers: [],
    body: new Uint8Array(),
  };
  const signal = AbortSignal.timeout(patient(60_000));
  const answering = live.directory
    .operation('desk', 'say')
    ?.answer(request, { user: 'ann', signal });
  live.replace([await open('two', journal)]);
  expect(journal).toEqual([]);
  answer('done');
  expect((await answering)?.status).toBe(200);
  await live[Symbol.asyncDispose]();
  expect(journal).toEqual(['dispose one']);
});
