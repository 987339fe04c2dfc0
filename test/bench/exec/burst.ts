import type { Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { type Figure, toFigure } from '../figure.ts';
import { inSandbox, type Way } from './first-line.ts';

const crowd = 100;

/** A hundred programs at once: milliseconds to the first line of each. */
export async function benchBurst(id: string, sandbox: Sandbox, theirs: Way): Promise<Figure> {
  const all = (way: Way) => Promise.all(Array.from({ length: crowd }, way));
  const ours = await all(inSandbox(sandbox, 'python'));
  return toFigure(id, { ours, theirs: await all(theirs), unit: 'ms' });
}
