import { cutText, grouped } from '../runtime/tools/cut.ts';
import type { ProgramOutput } from './output.ts';

/** What of an output stands in a report; `part` says which part that is, where it is not the whole. */
export type OutputExcerpt = { readonly text: string; readonly part?: string };

export function tailExcerpt(output: ProgramOutput, chars: number): OutputExcerpt {
  const text = output.tail(chars);
  if (output.chars <= chars) return { text };
  return { text, part: `the last ${grouped(chars)} of ${grouped(output.chars)} characters` };
}

/** Of a result both ends matter. */
export function headAndTailExcerpt(output: ProgramOutput, chars: number): OutputExcerpt {
  if (output.chars <= chars) return { text: output.tail(chars) };
  const beginning = cutText(output.kept, chars / 2);
  const end = output.tail(chars / 2);
  const missing = output.chars - beginning.length - end.length;
  return {
    text: `${beginning}\n[${grouped(missing)} characters are left out here]\n${end}`,
    part: `the beginning and the end of ${grouped(output.chars)} characters`,
  };
}
