import { faults } from '../../base/faults.ts';
import type { Draft } from '../../timeline/block.ts';
import type { CallId, TurnId } from '../../timeline/ids.ts';
import { paths } from '../../timeline/paths.ts';
import type { ToolResult } from '../ports/tool.ts';

/** Whether the result leaves the effect of the call unknown. */
export function isOutcomeUnknown(result: ToolResult): boolean {
  return !result.ok && (stops.has(result.error.code) || transient.has(result.error.code));
}

const stops: ReadonlySet<string> = new Set(['interrupted', 'timeout']);
const transient: ReadonlySet<string> = new Set(
  Object.entries(faults).flatMap(([code, { kind }]) => (kind === 'transient' ? [code] : [])),
);

type UncertainCall = { readonly id: string; readonly tool: string; readonly effects: string };

/** Informs people, not only the model, that these calls may have taken effect. */
export function inDoubtNotice(
  { turn, call }: { readonly turn: TurnId; readonly call: CallId },
  all: readonly UncertainCall[],
): Draft {
  const calls = all.slice(0, callsShownMax).map(({ id, tool, effects }) => ({ id, tool, effects }));
  const total = all.length;
  const rest = total > calls.length ? [`- and ${total - calls.length} more`] : [];
  return {
    turn,
    call,
    type: 'react.notice',
    author: 'system',
    path: paths.callNotice(turn, call),
    text: [inDoubtText, ...calls.map(line), ...rest].join('\n'),
    data: { code: inDoubtCode, calls, total },
  };
}

export const inDoubtCode = 'in_doubt';
export const inDoubtText =
  'In doubt: these calls were begun, and it is not known whether they took effect. Check before you repeat one.';

const callsShownMax = 20;

function line({ tool, id, effects }: UncertainCall): string {
  return `- ${tool} (call ${id}, ${effects})`;
}
