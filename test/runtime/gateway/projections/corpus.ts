import type { WireEnvelope } from '../../../../runtime/client/protocol/envelope.ts';
import { inPieces, scene } from './scene.ts';

/** Turns as clients may see them, by name. */
export const corpus: Readonly<Record<string, readonly WireEnvelope[]>> = {
  'plain answer': scene((on) => {
    on.think('An easy sum.');
    on.answer('It is 3.');
    on.thought('An easy sum.');
    on.completion('It is 3.', { followups: ['And 2 + 2?'] });
    on.end('completed');
    on.close('It is 3.');
  }),
  'a tool': scene((on) => {
    on.think('I look it up.');
    on.thought('I look it up.');
    on.call('tc_1', 'weather.read', { city: 'Bonn' });
    on.result('tc_1', { degrees: 21 });
    on.end();
    on.begin(2);
    on.answer('21 degrees.');
    on.completion('21 degrees.');
    on.end('completed');
    on.close('21 degrees.');
  }),
  'a tool that fails': scene((on) => {
    on.call('tc_1', 'weather.read', { city: 'Atlantis' });
    const error = { code: 'tool_failed', message: 'no such city', retryable: false };
    on.block('react.tool.result', { author: 'tool', call: 'tc_1', data: { ok: false, error } });
    on.end();
    on.begin(2);
    on.answer('I do not know.');
    on.completion('I do not know.');
    on.end('completed');
    on.close('I do not know.');
  }),
  'a program': scene((on) => {
    const code = 'print(1 + 2)\n';
    on.write('code', code);
    on.block('react.code', {
      ...{ call: 'tc_1', text: code, mime: 'text/x-python' },
      data: { stream: on.stream('code'), language: 'python' },
    });
    on.call('tc_1', 'exec_tools.execute_code_python', { prog_name: 'sum' });
    on.live('chat.exec.status', { call: 'tc_1', status: 'running' });
    on.live('chat.exec.output', { call: 'tc_1', stream: 'stdout', text: '3\n' });
    on.block('react.tool.progress', { call: 'tc_1', text: 'half', data: { n: 1, fraction: 0.5 } });
    on.block('artifact.file', {
      ...{ author: 'tool', call: 'tc_1', mime: 'text/csv', text: '3\n' },
      data: { filename: 'sum.csv', size: 2, visibility: 'external' },
    });
    on.result('tc_1', { ok: true, report_text: '3' });
    on.end();
    on.begin(2);
    on.answer('It is 3.');
    on.completion('It is 3.');
    on.end('completed');
    on.close('It is 3.');
  }),
  'a canvas and sources': scene((on) => {
    const page = '<h1>Rain</h1>';
    const artifact = { name: 'rain.html', mime: 'text/html', title: 'Rain' };
    for (const piece of inPieces(page)) on.delta('canvas', piece, { artifact });
    on.block('canvas', {
      ...{ text: page, mime: 'text/html' },
      data: { stream: on.stream('canvas'), name: 'rain.html', title: 'Rain' },
    });
    on.block('source.row', {
      data: { sid: 1, title: 'Climate normals', url: 'https://example.org/normals' },
    });
    // Deltas have links.
    on.answer('It rains [Climate normals](https://example.org/normals) a lot.');
    on.completion('It rains [[S:1]] a lot.', { sources_used: [1] });
    on.end('completed');
    on.close('It rains [[S:1]] a lot.');
  }),
  'a followup and a steer': scene((on) => {
    on.call('tc_1', 'weather.read', { city: 'Bonn' });
    on.block('external.followup', { author: 'user', event: 'm2', text: 'In Celsius.' });
    on.result('tc_1', { degrees: 21 });
    on.end();
    on.begin(2, [{ event_id: 'm2', seq: 5 }]);
    on.write('answer', '21 degrees Celsius, and');
    on.block('external.steer', { author: 'user', event: 'm3', text: 'Only the number.' });
    on.end('interrupted');
    on.begin(3, [{ event_id: 'm3', seq: 9 }], 'finalize');
    on.answer('21');
    on.completion('21');
    on.end('completed');
    on.close('21');
  }),
  'a retried generation': scene((on) => {
    on.think('Hm.');
    on.write('answer', 'It is 4, beca');
    on.live('stream.reset', { round: 1 });
    on.think('Better.');
    on.answer('It is 3.');
    on.thought('Better.');
    on.completion('It is 3.');
    on.end('completed');
    on.close('It is 3.');
  }),
  'a takeover': scene((on) => {
    on.write('answer', 'It is');
    on.fence = 2;
    on.live('worker.note', {});
    on.end('interrupted');
    on.begin(2);
    on.answer('It is 3.');
    on.completion('It is 3.');
    on.end('completed');
    on.close('It is 3.');
  }),
  interrupted: scene((on) => {
    on.think('A long');
    on.block('external.steer', { author: 'user', event: 'm2', text: '' });
    on.end('interrupted');
    on.close('', { reason: 'interrupted', completions: 0 });
  }),
  failed: scene((on) => {
    on.think('A lo');
    on.end('failed');
    const error = { code: 'MODEL_UNAVAILABLE', message: 'The model does not answer.' };
    on.close('', { reason: 'failed', error, completions: 0 });
  }),
  'an approval': scene((on) => {
    on.call('tc_1', 'mail.send', { to: 'a@example.org', waits: 'approval' });
    on.block('approval.request', {
      call: 'tc_1',
      data: {
        ...{ request: 'ap_1', call: 'tc_1', tool: 'mail.send', title: 'Send the mail?' },
        ...{ input: { to: 'a@example.org' }, remember: ['once'] },
        deadline: '2026-01-01T12:10:00.000Z',
      },
    });
    const answer = { request: 'ap_1', tool: 'mail.send', outcome: 'allowed', remember: 'once' };
    on.block('approval.close', { call: 'tc_1', data: answer });
    on.result('tc_1', 'sent');
    on.end();
    on.begin(2);
    on.answer('Sent.');
    on.completion('Sent.');
    on.end('completed');
    on.close('Sent.');
  }),
  'a denied approval': scene((on) => {
    on.call('tc_1', 'mail.send', { to: 'a@example.org', waits: 'approval' });
    const request = { request: 'ap_1', call: 'tc_1', tool: 'mail.send', title: 'Send the mail?' };
    on.block('approval.request', {
      call: 'tc_1',
      data: { ...request, input: {}, remember: ['once'], deadline: '2026-01-01T12:10:00.000Z' },
    });
    const answer = { request: 'ap_1', tool: 'mail.send', outcome: 'denied', remember: 'once' };
    on.block('approval.close', { call: 'tc_1', data: answer });
    const error = { code: 'denied', message: 'the user denied the call', retryable: false };
    on.block('react.tool.result', { author: 'tool', call: 'tc_1', data: { ok: false, error } });
    on.end();
    on.begin(2);
    on.answer('Not sent.');
    on.completion('Not sent.');
    on.end('completed');
    on.close('Not sent.');
  }),
  'a call of the client': scene((on) => {
    on.call('tc_1', 'page.color', { element: 'h1', waits: 'external' });
    on.block('external.call', {
      call: 'tc_1',
      data: {
        ...{ call: 'tc_1', tool: 'page.color', input: { element: 'h1' } },
        deadline: '2026-01-01T12:10:00.000Z',
      },
    });
    on.result('tc_1', 'blue');
    on.end();
    on.begin(2);
    on.answer('Blue.');
    on.completion('Blue.');
    on.end('completed');
    on.close('Blue.');
  }),
  'a delegation': scene((on) => {
    on.call('tc_1', 'agent.researcher', { task: 'Find it.' });
    on.block('agent.call', {
      call: 'tc_1',
      data: {
        ...{ call: 'tc_1', tool: 'agent.researcher', agent: 'researcher' },
        ...{ conversation: 'conv_child', rounds: 4, deadline: '2026-01-01T12:10:00.000Z' },
      },
    });
    on.result('tc_1', { text: 'Found it.' });
    on.end();
    on.begin(2);
    on.answer('Found.');
    on.completion('Found.');
    on.end('completed');
    on.close('Found.');
  }),
  'a selection and a compaction': scene((on) => {
    on.block('tools.selection', { author: 'system', data: { of: 40 } });
    on.block('tools.visibility', {
      author: 'system',
      data: { mode: 'set', tools: ['weather.read'], reason: 'selection', of: 40 },
    });
    on.block('compact.open', {
      author: 'system',
      data: { cause: 'limit', tokens: 900, room: 800 },
    });
    on.block('compact.close', {
      author: 'system',
      data: {
        ...{ cause: 'limit', status: 'completed', kind: 'history', turns: 4, rounds: 6 },
        ...{ tokens_before: 900, tokens_after: 300 },
      },
    });
    on.answer('Short.');
    on.completion('Short.');
    on.end('completed');
    on.close('Short.');
  }),
  'a written answer': scene((on) => {
    on.call('tc_1', 'weather.read', { city: 'Bonn' });
    on.result('tc_1', { degrees: 21 });
    on.end();
    on.begin(2, [], 'answer');
    on.answer('It is warm.');
    on.completion('It is warm.');
    on.end('completed');
    on.close('It is warm.');
  }),
};
