import type { build as Build } from 'esbuild';

/** How long esbuild's process, which takes 15 MB, waits for another build before it ends. */
const esbuildIdleMs = 2_000;

let running = 0;
let stopping: NodeJS.Timeout | undefined;

/** Runs a build with esbuild, which is loaded and started when it is needed, and stopped when nothing is being built. */
export async function withEsbuild<Result>(
  work: (build: typeof Build) => Promise<Result>,
): Promise<Result> {
  const { build, stop } = await import('esbuild');
  clearTimeout(stopping);
  running += 1;
  try {
    return await work(build);
  } finally {
    running -= 1;
    if (running === 0) stopping = setTimeout(() => void stop(), esbuildIdleMs).unref();
  }
}
