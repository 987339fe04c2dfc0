import { canvasFormat } from '../../channels/citations/canvas-format.ts';
import { citationsIn } from '../../channels/citations/citations.ts';
import type { Block } from '../../timeline/block.ts';
import { objectOf } from './wire-json.ts';

/** A citation token begins with two brackets; texts without them are not scanned. */
const mayCite = /[[［【]{2}/;

/**
 * The format in which citations of a canvas, a note or a text for people are linked; undefined: they are not. Pages of
 * tools and files are shown unchanged.
 */
export function linkFormat({ type, author, mime, text = '', data }: Block) {
  if (author !== 'agent' || !mayCite.test(text)) return undefined;
  if (type === 'react.notes' || type === 'timeline_text') return 'markdown';
  const isOwn = type === 'canvas' && objectOf(data)['file'] === undefined;
  return isOwn ? canvasFormat(mime) : undefined;
}

export function citedInCanvas(block: Block): readonly number[] {
  const format = linkFormat(block);
  return format === undefined ? [] : citationsIn(block.text ?? '', format);
}
