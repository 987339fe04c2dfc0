import { type MultiAction, multiActions } from '../../channels/reply/rules.ts';

export type { MultiAction };

const fanoutValues = ['safe_fanout', 'fanout', 'on', 'true', '1', 'yes'];

/** Undefined: not set, or not valid and added to the problems. */
export function toMultiAction(
  setting: string | undefined,
  problems: string[],
): MultiAction | undefined {
  const value = setting?.toLowerCase() ?? '';
  if (value === '') return undefined;
  if (fanoutValues.includes(value)) return 'safe_fanout';
  if (['off', 'false', '0', 'no'].includes(value)) return 'off';
  const mode = multiActions.find((each) => each === value);
  if (mode !== undefined) return mode;
  const modes = multiActions.join(', ');
  problems.push(`AI_REACT_AGENT_MULTI_ACTION: “${value}” is not one of ${modes}`);
  return undefined;
}
