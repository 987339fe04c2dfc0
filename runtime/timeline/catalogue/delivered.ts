import type { Block } from '../block.ts';
import { dataOf } from './catalogue.ts';

/** Marks a file that the user has, wherever a prompt names the file without its content. */
export const deliveredMark = 'the user has it';

export function isDelivered(file: Pick<Block, 'data'>): boolean {
  return dataOf('artifact.file', file)?.visibility === 'external';
}
