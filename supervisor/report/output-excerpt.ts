import { cutText, grouped } from '../../runtime/tools/text/cut-text.ts';
import type { ProgramOutput } from './program-output.ts';

/** The part of an output that a report shows; `part` describes it if it is not the whole output. */
export type OutputExcerpt = { readonly text: string; readonly part?: string };

export function tailExcerpt(output: ProgramOutput, chars: number): OutputExcerpt {
  const text = output.tail(chars);
  if (output.chars <= chars) return { text };
  return { text, part: `the last ${grouped(chars)} of ${grouped(output.chars)} characters` };
}

/** For results, where the beginning and the end matter. */
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
