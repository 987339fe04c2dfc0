import { expect, test } from 'vitest';
import {
  callingProgress,
  completeProgress,
  toRecord,
} from '../../../../../runtime/gateway/projections/openai/tool-progress.ts';

const program = {
  call: 'tc_1',
  tool: 'exec_tools.execute_code_python',
  round: 2,
  input: { prog_name: 'sum' },
  code: 'print(3)',
};
const result = {
  ok: true,
  ret: { user_out_tail: '3\n', runtime_err_tail: 'warning', phases_ms: { run: 12 } },
};
const fileIds = ['file_turn_1_r2_0'];

// proves: openai.tools
test('of a program the progress has its code, then its output, exception, time and files', () => {
  const data = { tool_type: 'code_execution', code: 'print(3)' };
  expect(callingProgress(program)).toMatchObject({ phase: 'calling', round: 2, data });
  expect(completeProgress(program, { result, fileIds })).toMatchObject({
    phase: 'complete',
    data: {
      ...data,
      ...{ stdout: '3\n', stderr: 'warning', exception: null, execution_time_ms: 12 },
      file_ids: fileIds,
    },
  });
  const failed = { ok: false, error: { code: 'program_failed', message: 'ZeroDivisionError' } };
  expect(completeProgress(program, { result: failed, fileIds: [] }).data).toMatchObject({
    exception: 'ZeroDivisionError',
  });
});

test('a call is listed with its round, arguments, content and the ids of its files', () => {
  const call = { call: 'tc_2', tool: 'shop.write', round: 1, input: { text: 'gin' } };
  expect(toRecord(call, { result: { ok: true, ret: 'written' }, fileIds })).toEqual({
    round: 1,
    name: 'shop.write',
    arguments: '{"text":"gin"}',
    result_content: 'written',
    file_ids: fileIds,
  });
});
