import { catalogText } from '../definition/tool-catalog.ts';
import { describedCharsMax } from '../limits.ts';
import type { Tool } from '../ports/tool.ts';

export type ToolDescriptions = { readonly text: string; readonly described: readonly string[] };

/** The catalogue texts of tools, as many as fit. The system text is made again for the others. */
export function describeTools(tools: readonly Tool[]): ToolDescriptions {
  const described: string[] = [];
  let text = '';
  for (const { spec } of tools) {
    const longer = [text, catalogText([spec])].filter((part) => part !== '').join('\n\n');
    if (longer.length > describedCharsMax) break;
    text = longer;
    described.push(spec.id);
  }
  return { text, described };
}
