import { expect, test } from 'vitest';
import { childAnswer } from '../../../../runtime/engine/perform/delegate/child-answer.ts';
import { toTurnId } from '../../../../runtime/timeline/ids.ts';
import { LogWriter } from '../../timeline/logs/log-writer.ts';

const who = { agent: 'bank.payer', conversation: 'conv_child' };

// proves: delegate.fails
test.each([
  [
    { reason: 'completed', text: 'Paid.' },
    { ok: true, ret: { answer: 'Paid.' } },
  ],
  [{ reason: 'interrupted' }, { ok: false, error: { code: 'agent_stopped' } }],
  [{ reason: 'exhausted' }, { ok: false, error: { code: 'agent_exhausted' } }],
  [
    {
      reason: 'handed_off',
      calls: [{ call: 'tc_1', tool: 'browser.locate', input: { exact: true } }],
    },
    {
      ok: false,
      error: {
        code: 'agent_handed_off',
        message:
          '“bank.payer” has no answer: it handed off calls that its caller performs: browser.locate {"exact":true} (conv_child)',
      },
    },
  ],
])('a delegated turn that ended with %j gives its caller %j', (data, answer) => {
  const log = new LogWriter();
  log.append({ type: 'turn.close', turn: toTurnId('turn_1'), author: 'system', data });
  expect(childAnswer(log.blocks, who)).toMatchObject(answer);
});
