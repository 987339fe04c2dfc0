import { Refusal } from '../../../runtime/base/refusal.ts';
import type { ToolSpec } from '../../../runtime/tools/ports/tool.ts';

/** The process of a bundle ended during a call. */
export class ProcessLost extends Error {
  override readonly name = 'ProcessLost';
}

/** The refusal for a call that was running: the effects of the tool determine whether it may be repeated. */
export function toLostRefusal(
  { message }: ProcessLost,
  { id, effects }: Pick<ToolSpec, 'id' | 'effects'>,
): Refusal {
  const happened = `The process that ran ${id} ended in the middle of the call (${message}).`;
  if (effects === 'unkeyed') {
    const doubt =
      'In doubt: it may or may not have had its effect. Check before you call it again.';
    return new Refusal('interrupted', `${happened} ${doubt}`);
  }
  const why = effects === 'keyed' ? 'is done once, however often it is called' : 'changes nothing';
  return new Refusal('interrupted', `${happened} It ${why}, so it may be called again.`, {
    retryable: true,
  });
}
