import { fieldsOf } from '../../client/events/to-event.ts';

const marks: Readonly<Record<string, string>> = { done: '✓', failed: '✗', in_progress: '▶' };

/** The steps of a plan with their state, one per line. */
export function planLines({
  steps,
  status,
  closed_ts: closed,
}: Readonly<Record<string, unknown>>): string {
  const states = fieldsOf(status);
  const lines = (Array.isArray(steps) ? steps : []).map(
    (step, index) => `${marks[String(states[index + 1])] ?? '□'} ${index + 1} ${step}`,
  );
  return [...lines, ...(closed === undefined ? [] : ['closed'])].join('\n');
}
