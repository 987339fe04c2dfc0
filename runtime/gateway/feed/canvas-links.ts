import { canvasFormat } from '../../channels/citations/canvas-format.ts';
import { citationsIn } from '../../channels/citations/citations.ts';
import type { Block } from '../../timeline/block.ts';
import { objectOf } from './wire-json.ts';

/** A token begins with two brackets; most texts have none, and are not read. */
const mayCite = /[[［【]{2}/;

/** How the citations of a canvas become links; undefined: they stay. A page of a tool, or of a file, is shown as it is. */
export function linkFormat({ type, author, mime, text = '', data }: Block) {
  const isOwn = type === 'canvas' && author === 'agent' && objectOf(data)['file'] === undefined;
  return isOwn && mayCite.test(text) ? canvasFormat(mime) : undefined;
}

export function citedInCanvas(block: Block): readonly number[] {
  const format = linkFormat(block);
  return format === undefined ? [] : citationsIn(block.text ?? '', format);
}
