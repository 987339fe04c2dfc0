import type { StoryPart } from '../api/story.ts';
import { text } from './json-fields.ts';

type Facts = Readonly<Record<string, unknown>>;

/** The choice of tools for a turn, as one status line. Undefined: the step is about something else, or shows nothing. */
export function toolSelection(step: string, data: Facts): StoryPart | undefined {
  if (step !== 'tools.selecting' && step !== 'tools.selected') return undefined;
  const line = step === 'tools.selecting' ? `Choosing from ${data['of']} tools …` : chosen(data);
  if (line === undefined) return undefined;
  const call = text(data['call']);
  return { kind: 'status', key: call === '' ? 'tools' : `tools.${call}`, text: line };
}

function chosen({ reason, tools, groups, of }: Facts): string | undefined {
  if (reason === 'selection_failed') return 'All tools are used';
  if (reason === 'selection') return `Chose ${namesIn(tools).length} of ${of} tools`;
  const names = [...namesIn(groups), ...namesIn(tools)];
  return names.length === 0 ? undefined : `Tools switched on: ${names.join(', ')}`;
}

function namesIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}
