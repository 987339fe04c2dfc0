import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Log, silentLog } from '../../../runtime/base/log.ts';
import { type CompileOptions, compileBundle } from '../../../runtime/sdk/compile/compile-bundle.ts';
import type { BundleHost } from '../../../runtime/sdk/compile/host/bundle-host.ts';
import { createMemoryStorage } from '../../../runtime/sdk/compile/host/key-value-store.ts';
import type { AnyTool } from '../../../runtime/sdk/define/context.ts';
import { type Bundle, defineAgent, defineBundle } from '../../../runtime/sdk/index.ts';
import type { Tool } from '../../../runtime/tools/ports/tool.ts';
import { controlTools } from '../../../runtime/tools/react/control-tools.ts';
import { patient } from '../../tools/machine-speed.ts';

type More = Omit<Parameters<typeof defineBundle>[0], 'id' | 'version' | 'agents'>;

/** A bundle with one agent that has these tools. */
export function bundleWith(tools: readonly AnyTool[], more: More = {}): Bundle {
  const agent = defineAgent({ id: 'main', instruction: 'Help.', tools });
  return defineBundle({ id: 'acme', version: '1', agents: [agent], ...more });
}

export type Compiling = Partial<Omit<CompileOptions, 'host'>> & {
  readonly host?: Partial<BundleHost>;
};

export function compile(bundle: Bundle, { host, ...options }: Compiling = {}) {
  return compileBundle(bundle, {
    dir: import.meta.dirname,
    revision: 'r1',
    platform: { tools: controlTools, absent: [] },
    signal: AbortSignal.timeout(patient(60_000)),
    ...options,
    host: {
      tenant: 'acme',
      project: 'ops',
      log: silentLog,
      fetch: globalThis.fetch,
      storage: createMemoryStorage(() => Date.now()),
      secret: async () => undefined,
      ...host,
    },
  });
}

/** The compiled form of one tool. */
export async function compiledTool(
  tool: AnyTool,
  { more, ...options }: Compiling & { readonly more?: More } = {},
): Promise<Tool> {
  const { agents } = await compile(bundleWith([tool], more), options);
  const found = agents[0].tools.find(({ spec }) => spec.id === tool.id);
  if (!found) throw new Error(`${tool.id} is not there`);
  return found;
}

/** A folder with these files, removed when disposed of. */
export async function openFolder(files: Readonly<Record<string, string>>) {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-sdk-'));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, file)), { recursive: true });
    await writeFile(join(dir, file), text);
  }
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
}

export type Logged = { readonly message: string; readonly facts: unknown };

/** A log that can be read. */
export function createReadableLog(): { log: Log; lines: Logged[] } {
  const lines: Logged[] = [];
  const write = (message: string, facts: unknown) => void lines.push({ message, facts });
  const log: Log = { debug: write, info: write, warn: write, error: write, with: () => log };
  return { log, lines };
}
