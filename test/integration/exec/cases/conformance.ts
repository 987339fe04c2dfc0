import { afterAll, beforeAll, describe } from 'vitest';
import { isFullMatrix } from '../../../tools/runs.ts';
import { engineMsMax } from '../../../tools/services/docker.ts';
import { execArchives } from './archives.ts';
import { execEdges } from './edges.ts';
import { execEnds } from './ends.ts';
import { execFiles } from './files.ts';
import { execHandles } from './handles.ts';
import { execLeft } from './left-open.ts';
import { execLibraries } from './libraries.ts';
import { bothLanguages, type Opened, withLanguages } from './programs.ts';
import { execResults } from './results.ts';
import { execSlips } from './slips.ts';
import { execTools } from './tools.ts';

const parts = {
  results: execResults,
  files: execFiles,
  left: execLeft,
  ends: execEnds,
  tools: execTools,
  slips: execSlips,
  archives: execArchives,
  edges: execEdges,
  handles: execHandles,
  libraries: execLibraries,
} as const;
type Part = keyof typeof parts;

const all: readonly Part[] = Object.keys(parts).filter((name): name is Part => name in parts);

/** What depends on the cell that a backend makes; the rest is code of the supervisor, which is the same everywhere. */
export const cellParts: readonly Part[] = [
  'results',
  'files',
  'left',
  'ends',
  'handles',
  'libraries',
];

type Extent = {
  /** The parts that run; with `TIMELOOM_MATRIX=full` at least those of `full`. */
  readonly parts?: readonly Part[];
  readonly full?: readonly Part[];
  /** Programs of one language show it, and one program what others show about one file each; with `TIMELOOM_MATRIX=full` those of each. */
  readonly oneLanguage?: boolean;
  /** Cases run side by side. */
  readonly concurrent?: boolean;
};

/**
 * What every backend promises about files, results and how a program ends. One backend runs every case in both
 * languages at every change; the others the cases that depend on them, and all in the long run.
 */
export function execConformance(
  name: string,
  open: () => Promise<Opened>,
  { parts: usual = all, full = all, oneLanguage = false, concurrent = false }: Extent = {},
): void {
  const some = isFullMatrix ? full : usual;
  describe(name, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
    }, engineMsMax);
    afterAll(() => opened.sandbox[Symbol.asyncDispose]());
    const languages = oneLanguage && !isFullMatrix ? (['python'] as const) : bothLanguages;
    // The clock of a backend is one for all its programs: those that let time pass run one after the other.
    for (const part of some) {
      const run = () => withLanguages(languages, () => parts[part](() => opened));
      describe(part, { concurrent: concurrent && part !== 'ends' }, run);
    }
  });
}
