import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import type { FargateSettings } from '../../../runtime/adapters/fargate/settings/settings.ts';
import { buildProgram } from './build-program.ts';
import type { Life } from './kill-plan.ts';

export type Backend =
  | { readonly kind: 'process' }
  | { readonly kind: 'docker'; readonly host: string }
  | { readonly kind: 'fargate'; readonly settings: FargateSettings };

/** Argument of a worker, as JSON. */
export type WorkerOptions = {
  readonly name: string;
  readonly url: string;
  readonly dir: string;
  readonly backend: Backend;
};

export type Doomed = {
  readonly name: string;
  /** Resolves when it has said so, and when it is gone. */
  reaches(moment: Life['from']): Promise<void>;
  kill(): Promise<void>;
};

/** What the AWS client says to each process of this Node. */
const quiet = '--disable-warning=NodeVersionSupportWarning';

/** Built once, in a folder of its own. Returns how one is started. */
export async function buildWorker(folder: string): Promise<(options: WorkerOptions) => Doomed> {
  const script = await buildProgram('test/attack/kill/worker.ts', folder);
  return (options) => start(script, options);
}

function start(script: string, options: WorkerOptions): Doomed {
  const worker = spawn(process.execPath, [quiet, script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(worker, 'exit');
  const lines = createInterface({ input: worker.stdout });
  const said = (word: string) =>
    new Promise<void>((resolve) => {
      lines.on('line', (line) => {
        if (line === word) resolve();
      });
      lines.once('close', resolve);
    });
  const moments = { asked: said('asked'), begun: said('begun') };
  return {
    name: options.name,
    reaches: (moment) => moments[moment],
    kill: async () => {
      expect(worker.exitCode, 'nothing but a kill ends a worker').toBeNull();
      worker.kill('SIGKILL');
      await exit;
    },
  };
}
