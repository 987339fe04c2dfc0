import { type Exit, killedExit } from '../../../supervisor/cell.ts';
import { grouped } from '../../tools/cut.ts';
import type { Room } from './keeper/measure.ts';
import type { Look } from './tasks.ts';

const mebibyte = 1024 * 1024;

/** As the service saw it. */
export function toExit({ code, outOfMemory }: Look): Exit {
  return { code: code ?? killedExit.code, outOfMemory, lost: code === undefined };
}

/** Of a program that was ended because it had filled this place. */
export function filledExit({ path, bytesMax, filesMax }: Room): Exit {
  const may = `${bytesMax / mebibyte} MiB and ${grouped(filesMax)} files and folders`;
  const full = `the program was ended: it had put more into ${path} than the ${may} it may have there`;
  return { ...killedExit, full };
}
