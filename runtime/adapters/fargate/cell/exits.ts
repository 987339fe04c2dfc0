import { type Exit, killedExit } from '../../../../supervisor/cell/cell.ts';
import { grouped } from '../../../tools/text/cut-text.ts';
import type { TaskState } from '../aws/tasks.ts';
import type { DiskQuota } from '../keeper/disk-quota.ts';

const mebibyte = 1024 * 1024;

/** The exit as the service reports it. */
export function toExit({ code, outOfMemory }: TaskState): Exit {
  return { code: code ?? killedExit.code, outOfMemory, lost: code === undefined };
}

/** The exit of a program that was stopped because it exceeded this disk quota. */
export function quotaExit({ path, bytesMax, filesMax }: DiskQuota): Exit {
  const quota = `${bytesMax / mebibyte} MiB and ${grouped(filesMax)} files and folders`;
  const full = `the program was stopped: it wrote more to ${path} than the limit of ${quota}`;
  return { ...killedExit, full };
}
