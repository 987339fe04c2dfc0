import { fileURLToPath } from 'node:url';
import {
  openToolServers,
  type ToolServersParts,
} from '../../../../runtime/adapters/mcp/open-tool-servers.ts';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import type { JsonObject } from '../../../../runtime/base/json.ts';
import type { Log } from '../../../../runtime/base/log.ts';
import type {
  ToolServer,
  ToolServerSettings,
  ToolServers,
} from '../../../../runtime/sdk/compile/host/tool-servers.ts';
import { emptyView } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import type { CallContext, Tool } from '../../../../runtime/tools/ports/tool.ts';
import { createDraftCollector } from '../../../../runtime/tools/services/draft-collector.ts';
import { patient } from '../../../tools/machine-speed.ts';

export type LogEntry = { readonly message: string; readonly facts: unknown };

/** A pool of servers whose log can be read. */
export function openPool(
  parts: Partial<ToolServersParts> = {},
): ToolServers & AsyncDisposable & { readonly logged: readonly LogEntry[] } {
  const logged: LogEntry[] = [];
  const write = (message: string, facts: unknown) => void logged.push({ message, facts });
  const log: Log = { debug: write, info: write, warn: write, error: write, with: () => log };
  const pool = openToolServers({
    tenant: 'acme',
    fetch: globalThis.fetch,
    path: process.env['PATH'] ?? '',
    clock: systemClock,
    log,
    ...parts,
  });
  return {
    logged,
    open: (settings, options) => pool.open(settings, options),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** For one call: several files share this module. */
export const patiently = {
  get signal() {
    return AbortSignal.timeout(patient(110_000));
  },
};

/** What a server does on its own it does after a while: longer than that, on a busy machine, nobody waits. */
export const soon = { timeout: patient(100_000) };

export function httpSettings(
  url: string,
  more: Partial<ToolServerSettings> & { bearer?: string } = {},
): ToolServerSettings {
  const { bearer, ...rest } = more;
  const values = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  return {
    id: 'demo',
    place: { kind: 'http', url },
    allow: ['*'],
    deny: [],
    timeoutMs: 10_000,
    access: async () => ({ values, secrets: bearer === undefined ? [] : [bearer] }),
    ...rest,
  };
}

export function childSettings(more: Partial<ToolServerSettings> = {}): ToolServerSettings {
  return {
    ...httpSettings(''),
    place: {
      kind: 'stdio',
      command: process.execPath,
      args: ['--import', import.meta.resolve('tsx'), './child-server.ts'],
      dir: fileURLToPath(new URL('.', import.meta.url)),
    },
    ...more,
  };
}

export function toolOf(server: ToolServer, name: string): Tool {
  const { tools } = server.offer();
  const found = tools.find(({ spec }) => spec.id === `mcp.demo.${name}`);
  if (!found) throw new Error(`no ${name} among ${tools.map(({ spec }) => spec.id).join(', ')}`);
  return found;
}

/** Just enough of a turn for one call. */
export function contextOf({ signal }: { signal: AbortSignal } = patiently) {
  const collector = createDraftCollector({ turn: toTurnId('turn_1'), call: toCallId('tc_1') });
  const blobs = openMemoryBlobStore();
  const shown: unknown[] = [];
  const context = {
    scope: { tenant: 'acme', project: 'ops', user: 'ann' },
    conversation: 'conv_1',
    turn: 'turn_1',
    round: 1,
    call: 'tc_1',
    key: 'key_1',
    signal,
    now: '2026-01-01T00:00:00.000Z',
    view: emptyView,
    services: {
      progress: (progress: unknown) => void shown.push(progress),
      writeFile: async ({
        filepath,
        bytes,
        mime,
      }: {
        filepath: string;
        bytes: Uint8Array;
        mime: string;
      }) => {
        const blob = await blobs.put('acme', bytes, { signal });
        collector.add({ type: 'artifact.file', author: 'tool', mime, blob });
        return {
          path: `fi:turn_1.${filepath}`,
          filename: '',
          mime,
          size: blob.size,
          visibility: 'internal',
        };
      },
    },
  } as unknown as CallContext;
  return { context, shown, collector };
}

export async function run(tool: Tool, input: JsonObject = {}, options = patiently) {
  return (await tool.run(input, contextOf(options).context)).result;
}
