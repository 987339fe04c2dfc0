import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type {
  OpenProjection,
  SseFrame,
} from '../../../../runtime/gateway/projections/projection.ts';
import { corpus } from './corpus.ts';

const folder = join(import.meta.dirname, '../../../golden/projections');

/** The frames of every turn of the corpus. */
export function framesOf(open: OpenProjection, name: string): readonly SseFrame[] {
  const projection = open({ conversation: 'conv_a', turn: 'turn_1' });
  return (corpus[name] ?? []).flatMap((envelope) => projection.take(envelope));
}

export function toGolden(frames: readonly SseFrame[]): string {
  return frames.map(({ event, data }) => `${event ?? '-'} ${data}\n`).join('');
}

/** Compares the frames of the corpus with the recorded ones. `TIMELOOM_GOLDEN=write` records them. */
export async function expectGolden(dialect: string, open: OpenProjection): Promise<void> {
  const differences: Record<string, unknown> = {};
  await mkdir(join(folder, dialect), { recursive: true });
  for (const name of Object.keys(corpus)) {
    const file = join(folder, dialect, `${name.replaceAll(' ', '-')}.txt`);
    const text = toGolden(framesOf(open, name));
    if (process.env['TIMELOOM_GOLDEN'] === 'write') await writeFile(file, text);
    const recorded = await readFile(file, 'utf8').catch(() => '');
    if (recorded !== text) differences[name] = { recorded, text };
  }
  expect(differences).toEqual({});
}
