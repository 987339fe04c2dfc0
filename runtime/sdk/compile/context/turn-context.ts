import { Refusal } from '../../../base/refusal.ts';
import { formatPath, parsePath } from '../../../timeline/paths.ts';
import { toResourceName } from '../../../timeline/resource-names.ts';
import { heldFileBytesMax } from '../../../tools/limits.ts';
import type { ResolvedPath } from '../../../tools/ports/call-services.ts';
import type { CallContext } from '../../../tools/ports/tool.ts';
import { grouped } from '../../../tools/text/cut-text.ts';
import type { Canvas, FileBody, Progress, ToolContext } from '../../define/context.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { keyValueOf } from '../host/key-value-store.ts';
import type { Mask } from '../host/mask.ts';
import { createContext } from './base-context.ts';
import { toStream } from './byte-stream.ts';
import { searchMemory } from './search-memory.ts';
import { withSecretRequests } from './secrets.ts';

export type CallSite = {
  readonly loaded: LoadedBundle;
  readonly call: CallContext;
  readonly agent: string;
  readonly tool: string;
  /** Runs another tool of the bundle. */
  readonly callTool: ToolContext['call'];
};

/** `ctx` of a running tool. All outgoing text is masked. */
export function createToolContext(site: CallSite): ToolContext {
  const { loaded, call } = site;
  const { host, mask } = loaded;
  const { services, signal } = call;
  const ids = toIds(site);
  const log = host.log.with({
    bundle: ids.bundle,
    tool: site.tool,
    turn: call.turn,
    call: call.call,
  });
  const space = (kind: 'user' | 'conversation') => keyValueOf(host.storage, ids, kind);
  const emit: ToolContext['emit'] = (type, data) => services.emit(type, mask.json(data));
  const base = createContext(loaded, { ids, signal, log, budget: call.budget });
  return {
    ...base,
    ids,
    key: call.key,
    storage: { ...base.storage, user: space('user'), conversation: space('conversation') },
    call: site.callTool,
    progress: (progress) => showProgress(progress, call, mask),
    secrets: withSecretRequests(base.secrets, loaded, emit),
    emit,
    canvas: (name, options) => openCanvas(services.canvas(name, options), mask),
    sources: {
      add: (rows) =>
        services.addSources(
          rows.map(({ url, title, text, ...facts }) => ({
            ...Object(mask.json({ ...facts })),
            url: mask.text(url),
            title: mask.text(title),
            ...(text === undefined ? {} : { text: mask.text(text) }),
          })),
        ),
    },
    files: {
      read: async (path) => toBody(await resolve(path, call), call),
      write: (path, data, options = {}) =>
        services.writeFile({ filepath: path, bytes: toBytes(data, mask), ...options }),
      host: async (path) => toLink(await resolve(path, call), call),
    },
    memory: {
      search: (request) => searchMemory(request, call),
      note: async (text, options) => services.note(mask.text(text), options),
    },
    read: async (path) => {
      const { blob, ...found } = await resolve(path, call);
      return found;
    },
  };
}

export function showProgress(progress: Progress, call: CallContext, mask: Mask): void {
  const { text, data, ...rest } = typeof progress === 'string' ? { text: progress } : progress;
  call.services.progress({
    ...rest,
    ...(text === undefined ? {} : { text: mask.text(text) }),
    ...(data === undefined ? {} : { data: mask.json(data) }),
  });
}

function toIds({ loaded, call, agent }: CallSite): ToolContext['ids'] {
  const { tenant, project, user } = call.scope;
  return {
    tenant,
    project,
    bundle: loaded.definition.id,
    revision: loaded.revision,
    user,
    conversation: call.conversation,
    turn: call.turn,
    round: call.round,
    call: call.call,
    agent,
  };
}

type Writer = { write(text: string): void; close(): Promise<void> };
function openCanvas(writer: Writer, mask: Mask): Canvas {
  const masked = mask.stream();
  const write = (text: string) => {
    if (text !== '') writer.write(text);
  };
  return {
    write: (text) => write(masked.push(text)),
    async [Symbol.asyncDispose]() {
      write(masked.end());
      await writer.close();
    },
  };
}

async function resolve(path: string, { services }: CallContext): Promise<ResolvedPath> {
  const found = await services.read(path);
  if (found) return found;
  throw new Refusal('not_found', `Nothing found at ${path}.`);
}

function toLink({ path }: ResolvedPath, { conversation, scope }: CallContext) {
  const parsed = parsePath(path);
  if (parsed?.family !== 'fi') throw new Refusal('not_a_file', `${path} is not a file.`);
  const rn = formatPath({ conversation, ...parsed });
  const resource = toResourceName(scope, rn) ?? rn;
  return { rn, resource, url: `/api/files?${new URLSearchParams({ path: rn })}` };
}

function toBody(found: ResolvedPath, { services }: CallContext): FileBody {
  const path: `fi:${string}` = `fi:${found.path.replace(/^fi:/, '')}`;
  const size = found.blob?.size ?? Buffer.byteLength(found.text ?? '');
  const filename = path.slice(Math.max(path.lastIndexOf('/'), path.indexOf(':')) + 1);
  const bytes = async () => {
    if (size <= heldFileBytesMax) return services.bytes(found);
    const much = `${filename} has ${grouped(size)} bytes, more than the ${grouped(heldFileBytesMax)} that can be read at once`;
    throw new Refusal('too_large', `${much}; use stream().`);
  };
  return {
    ref: { path, filename, mime: found.mime, size, visibility: 'external' },
    bytes,
    text: async () => new TextDecoder().decode(await bytes()),
    stream: () => toStream(() => services.stream(found)),
  };
}

function toBytes(
  data: string | Uint8Array | AsyncIterable<Uint8Array>,
  mask: Mask,
): Uint8Array | AsyncIterable<Uint8Array> {
  return typeof data === 'string' ? new TextEncoder().encode(mask.text(data)) : data;
}
