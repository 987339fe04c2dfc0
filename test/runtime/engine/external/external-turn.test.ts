import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { message, untilCancelled } from '../kit/agent-program.ts';
import { editNotes, isRequest, openDemo, requestOf } from '../kit/external-demo.ts';
import { outline } from '../kit/harness.ts';

// proves: external.turn
test('a turn of an agent program is thoughts, calls, files and one answer', async () => {
  await using demo = await openDemo(async (prompted) => {
    const thought = { type: 'text' as const, text: 'Read first.' };
    await prompted.update({ sessionUpdate: 'agent_thought_chunk', content: thought });
    await prompted.update(message('I will read AGENTS.md.'));
    const call = { toolCallId: 'r1', title: 'Read AGENTS.md', kind: 'read' as const };
    await prompted.update({ ...call, sessionUpdate: 'tool_call', rawInput: { path: 'AGENTS.md' } });
    const text = await readFile(join(prompted.workspace, 'AGENTS.md'), 'utf8');
    await prompted.update({
      ...{ sessionUpdate: 'tool_call_update', toolCallId: 'r1', status: 'completed' },
      content: [{ type: 'content', content: { type: 'text', text } }],
    });
    await writeFile(join(prompted.workspace, 'report.md'), '# Report');
    await prompted.update(message('The report '));
    await prompted.update(message('is there.'));
    return 'end_turn';
  });
  await demo.harness.say('Write a report.');
  const blocks = await demo.harness.closed();
  expect(outline(blocks)).toEqual([
    ...['turn.open', 'user.prompt', 'round.open', 'agent.session', 'react.thinking'],
    ...['timeline_text', 'react.tool.call', 'react.tool.result', 'artifact.file', 'model.call'],
    ...['assistant.completion', 'round.close', 'turn.close'],
  ]);
  expect(blocks.find(({ type }) => type === 'react.tool.result')).toMatchObject({
    text: 'Be brief.',
    data: { ok: true, ret: { content: [{ type: 'text', text: 'Be brief.' }] } },
  });
  const { turn = '' } = blocks[0] ?? {};
  expect(blocks.at(-1)?.data).toMatchObject({
    reason: 'completed',
    text: 'The report is there.',
    files: [{ path: `fi:${turn}.files/report.md`, filename: 'report.md' }],
  });
  expect(verify(blocks)).toEqual([]);
  expect(demo.programs.texts).toEqual(['Write a report.']);
});

// proves: external.turn
test('the output of a command is in its result, in the order of its pieces, with the exit code', async () => {
  await using demo = await openDemo(async ({ update }) => {
    const call = { toolCallId: 'c1', title: 'npm test', kind: 'execute' as const };
    await update({ ...call, sessionUpdate: 'tool_call', rawInput: { command: 'npm test' } });
    const next = { sessionUpdate: 'tool_call_update', toolCallId: 'c1' } as const;
    for (const data of ['1 passed\n', '1 failed\n'])
      await update({ ...next, _meta: { terminal_output: { terminal_id: 't1', data } } });
    const terminal_exit = { terminal_id: 't1', exit_code: 1, signal: null };
    await update({ ...next, status: 'failed', _meta: { terminal_exit } });
    await update(message('A test fails.'));
    return 'end_turn';
  });
  await demo.harness.say('Run the tests.');
  const blocks = await demo.harness.closed();
  const result = blocks.find(({ type }) => type === 'react.tool.result');
  expect(result?.data).toMatchObject({
    ok: false,
    ret: { content: [{ type: 'terminal', output: '1 passed\n1 failed\n', exit_code: 1 }] },
  });
  expect(result?.text).toContain('1 failed');
  expect(verify(blocks)).toEqual([]);
});

// proves: external.permission
test('a permission request is an approval, and the call runs when it is allowed', async () => {
  await using demo = await openDemo((prompted) => editNotes(prompted, 'hello\n'));
  await demo.harness.say('Write notes.');
  const asked = await demo.harness.until((all) => all.some(isRequest));
  const request = asked.find(isRequest);
  expect(request?.data).toMatchObject({
    title: 'Edit notes.md',
    tool: 'agent.edit',
    input: { path: 'notes.md' },
  });
  await demo.decide(requestOf(request?.data), true);
  const blocks = await demo.harness.closed();
  expect(blocks.find(({ type }) => type === 'approval.close')?.data).toMatchObject({
    outcome: 'allowed',
  });
  const result = blocks.find(({ type }) => type === 'react.tool.result');
  expect(result?.data).toMatchObject({
    ok: true,
    ret: { content: [{ type: 'diff', path: 'notes.md' }] },
  });
  expect(result?.text).toContain('+hello');
  expect(blocks.at(-1)?.data).toMatchObject({ text: 'Written.' });
  expect(verify(blocks)).toEqual([]);
});

// proves: external.permission
test('a refused permission request fails its call, and the program goes on', async () => {
  await using demo = await openDemo((prompted) => editNotes(prompted, 'hello\n'));
  await demo.harness.say('Write notes.');
  const asked = await demo.harness.until((all) => all.some(isRequest));
  await demo.decide(requestOf(asked.find(isRequest)?.data), false);
  const blocks = await demo.harness.closed();
  expect(blocks.find(({ type }) => type === 'approval.close')?.data).toMatchObject({
    outcome: 'denied',
  });
  expect(blocks.at(-1)?.data).toMatchObject({ text: 'Not written.', files: [] });
  expect(verify(blocks)).toEqual([]);
});

// proves: external.steer
test('a steer cancels the prompt and is the next one, in the same process', async () => {
  await using demo = await openDemo(async (prompted) => {
    if (prompted.text.includes('interrupted')) {
      await prompted.update(message('In English.'));
      return 'end_turn';
    }
    const call = {
      toolCallId: 'x1',
      title: 'Run',
      kind: 'execute' as const,
      status: 'in_progress' as const,
    };
    await prompted.update({ ...call, sessionUpdate: 'tool_call', rawInput: { command: 'sleep' } });
    await prompted.update(message('Auf Deutsch'));
    return untilCancelled(prompted);
  });
  await demo.harness.say('Write.');
  await demo.harness.until((all) => all.some(({ type }) => type === 'react.tool.call'));
  await demo.harness.say('in English', { kind: 'steer' });
  const blocks = await demo.harness.closed();
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'completed', text: 'In English.' });
  expect(demo.programs.texts[1]).toBe('The user interrupted you:\nin English');
  expect(demo.programs.loads).toEqual([]);
  const result = blocks.find(({ type }) => type === 'react.tool.result');
  expect(result?.data).toMatchObject({ ok: false, error: { code: 'interrupted' } });
  expect(verify(blocks)).toEqual([]);
});

// proves: external.steer
test('a steer while a permission is open closes the request, and a stop ends the turn', async () => {
  await using demo = await openDemo((prompted) => editNotes(prompted, 'hello\n'));
  await demo.harness.say('Write notes.');
  await demo.harness.until((all) => all.some(isRequest));
  await demo.harness.say('', { kind: 'steer' });
  const blocks = await demo.harness.closed();
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'interrupted' });
  expect(blocks.find(({ type }) => type === 'approval.close')?.data).toMatchObject({
    outcome: 'interrupted',
  });
  expect(verify(blocks)).toEqual([]);
});

// proves: external.followup
test('a followup during a prompt is the next prompt of the same turn', async () => {
  const gate = new AbortController();
  await using demo = await openDemo(async (prompted) => {
    if (demo.programs.texts.length === 1) await once(gate.signal, 'abort');
    await prompted.update(message(`Answer to: ${prompted.text}`));
    return 'end_turn';
  });
  await demo.harness.say('First.');
  await expect.poll(() => demo.programs.texts.length).toBe(1);
  await demo.harness.say('Second.', { kind: 'followup' });
  gate.abort();
  const blocks = await demo.harness.closed();
  expect(demo.programs.texts).toEqual(['First.', 'Second.']);
  expect(outline(blocks, 'assistant')).toHaveLength(2);
  expect(blocks.at(-1)?.data).toMatchObject({ text: 'Answer to: Second.' });
  expect(verify(blocks)).toEqual([]);
});
