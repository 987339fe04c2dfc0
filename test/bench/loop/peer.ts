import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export type PeerOptions = {
  /** Base URL of a Chat Completions server. */
  readonly url: string;
  readonly prompt: string;
  readonly instruction: string;
};

/** Runs one whole turn and returns its answer. */
export type Turn = () => Promise<string>;
export type OpenPeer = (options: PeerOptions) => Promise<Turn>;

export const peers = ['ai-sdk', 'langgraph', 'openai-agents', 'mastra'] as const;
export type PeerName = (typeof peers)[number];

const source = join(import.meta.dirname, 'peers');
const folder = join(import.meta.dirname, '../../../.timeloom/bench-loop');

/** Their packages are large, so they are installed for this benchmark alone, beside the checkout's own. */
export async function installPeers(): Promise<void> {
  await mkdir(folder, { recursive: true });
  await cp(source, folder, { recursive: true });
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', args, { cwd: folder });
}

export async function loadPeer(name: PeerName): Promise<OpenPeer> {
  const module: unknown = await import(pathToFileURL(join(folder, `${name}.mjs`)).href);
  if (!isPeer(module)) throw new Error(`${name}.mjs exports no function open`);
  return module.open;
}

function isPeer(module: unknown): module is { readonly open: OpenPeer } {
  return typeof module === 'object' && module !== null && 'open' in module;
}
