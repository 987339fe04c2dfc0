import type { Block } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import { brief, start } from '../../../timeline/render/text.ts';
import type { TurnView } from '../../../timeline/view.ts';
import { selectedToolsMax, toolLineChars } from '../../../tools/limits.ts';
import type { Tool } from '../../../tools/ports/tool.ts';
import { selectionTextCharsMax } from '../../limits.ts';

/** The texts of the user in this turn, and one line for each tool. */
export function selectionPrompt({ events }: TurnView, tools: readonly Tool[]): string {
  const said = events.map(saidIn).filter((text) => text !== '');
  return [
    `The request:\n${start(said.join('\n\n'), selectionTextCharsMax)}`,
    `The tools:\n${tools.map(lineOf).join('\n')}`,
    `Choose the tools that this request needs, at most ${selectedToolsMax}, the most useful first. Answer with the list of their ids.`,
  ].join('\n\n');
}

/** An attachment by its name: its text would only make the choice dearer. */
function saidIn(event: Block): string {
  if (event.type !== 'user.attachment') return (event.text ?? '').trim();
  return `(attached: ${dataOf('user.attachment', event)?.filename ?? 'a file'})`;
}

function lineOf({ spec: { id, description } }: Tool): string {
  return brief(`- ${id}: ${description}`, Math.max(toolLineChars, id.length + 2));
}
