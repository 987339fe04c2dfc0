import { type Exit, killedExit } from '../../../../supervisor/cell/cell.ts';
import { grouped } from '../../../tools/text/cut-text.ts';
import type { TaskState } from '../aws/tasks.ts';
import type { DiskQuota } from '../keeper/disk-quota.ts';

const mebibyte = 1024 * 1024;

/** As the service saw it. */
export function toExit({ code, outOfMemory }: TaskState): Exit {
  return { code: code ?? killedExit.code, outOfMemory, lost: code === undefined };
}

/** Of a program that was ended because it had filled this place. */
export function quotaExit({ path, bytesMax, filesMax }: DiskQuota): Exit {
  const may = `${bytesMax / mebibyte} MiB and ${grouped(filesMax)} files and folders`;
  const full = `the program was ended: it had put more into ${path} than the ${may} it may have there`;
  return { ...killedExit, full };
}
