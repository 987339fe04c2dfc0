import { abandonRun, endRun, runFolder } from './run-folder.ts';

/** Before the first test of a project: the folder of shared servers. After the last one of all: they end. */
export function setup(): () => Promise<void> {
  runFolder();
  process.once('exit', abandonRun);
  return endRun;
}
