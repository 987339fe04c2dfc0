import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../architecture/tree.ts';

const guides = join(root, 'docs/guide/clients');
const fence = /^```(sh|json|python)(?: (\S+))?\n([\s\S]*?)^```$/gm;

export type GuideSample = {
  readonly language: string;
  readonly page: string;
  readonly file: string;
  readonly text: string;
};

/** The samples of the guides for clients that are not TypeScript: commands, settings as JSON, and Python. */
export const guideSamples: readonly GuideSample[] = readdirSync(guides).flatMap((page) =>
  [...readFileSync(join(guides, page), 'utf8').matchAll(fence)].map(
    ([, language = '', file = '', text = '']) => ({ language, page, file, text }),
  ),
);

export const samplesIn = (language: string): readonly GuideSample[] =>
  guideSamples.filter((sample) => sample.language === language);
