import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readBytes } from '../../../base/bytes/read-bytes.ts';
import type { Clock } from '../../../base/clock.ts';
import { Scope } from '../../../base/scope.ts';
import type {
  ExternalPlace,
  ExternalPrompt,
  WorkspaceChanges,
  WorkspaceFile,
} from '../../../engine/ports/external-agent.ts';
import type { WorkspaceSeed } from '../../../sdk/contract/agent-settings.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import { changedFilesMax } from './limits.ts';
import { writeBeneath } from './safe-write.ts';
import { storeFile } from './store-file.ts';
import { type FileState, survey } from './walk.ts';
import { folderOf, lockWorkspace, makeFolders } from './workspace-folder.ts';
import { readState, type WorkspaceState, writeState } from './workspace-state.ts';

type WorkspaceParts = {
  readonly root: string;
  readonly blobs: BlobStore;
  readonly clock: Clock;
};

/** The folder of one agent in one conversation. Only one process of this machine has it open. */
export class Workspace implements AsyncDisposable {
  readonly folder: string;
  readonly tenant: string;
  readonly #blobs: BlobStore;
  readonly #scope: Scope;
  #state: WorkspaceState;

  private constructor(
    folder: string,
    {
      tenant,
      blobs,
      scope,
      state,
    }: Pick<WorkspaceParts, 'blobs'> & {
      tenant: string;
      scope: Scope;
      state: WorkspaceState;
    },
  ) {
    this.folder = folder;
    this.tenant = tenant;
    this.#blobs = blobs;
    this.#scope = scope;
    this.#state = state;
  }

  /** Fault `AGENT_FAILED` if another process keeps it open. */
  static async open(
    place: ExternalPlace,
    parts: WorkspaceParts,
    { signal }: { signal: AbortSignal },
  ): Promise<Workspace> {
    const folder = folderOf(parts.root, place);
    const scope = new Scope();
    scope.own(await lockWorkspace(folder, parts.clock, signal));
    await makeFolders(folder);
    const { tenant } = place;
    const state = await readState(folder);
    const opened = new Workspace(folder, { ...parts, tenant, scope, state });
    await opened.#seed(place.program.files);
    return opened;
  }

  path(name: 'workspace' | 'home' | 'inputs' | 'egress'): string {
    return join(this.folder, name);
  }

  /** Of the program that worked here last. */
  get session(): string | undefined {
    return this.#state.session;
  }

  async keepSession(session: string): Promise<void> {
    await this.#keep({ ...this.#state, session });
  }

  /** The program cannot write there. */
  async putInputs(files: ExternalPrompt['files'], signal: AbortSignal): Promise<void> {
    for (const { name, blob } of files) {
      const { stream } = await this.#blobs.open(this.tenant, blob.hash, { signal });
      const bytes = await readBytes(stream, { bytesMax: blob.size, what: name });
      await writeBeneath(this.path('inputs'), name, bytes);
    }
  }

  async bytes(): Promise<number> {
    const { bytes } = await survey(this.path('workspace'));
    return bytes;
  }

  /** Stores what has changed since `confirm` was called. */
  async changes({ signal }: { signal: AbortSignal }): Promise<WorkspaceChanges> {
    const { files: found } = await survey(this.path('workspace'));
    const changed = [...found].filter(([path, state]) => !isSame(this.#state.files[path], state));
    const place = { root: this.path('workspace'), tenant: this.tenant, blobs: this.#blobs, signal };
    const files: WorkspaceFile[] = [];
    const left: { path: string; code: string }[] = [];
    for (const [index, [path, { size }]] of changed.entries()) {
      signal.throwIfAborted();
      if (size === 0) continue;
      const kept = index < changedFilesMax ? await storeFile(path, place) : 'too_many_files';
      if (typeof kept === 'string') left.push({ path, code: kept });
      else files.push({ path, blob: kept });
    }
    const confirm = () => this.#keep({ ...this.#state, files: Object.fromEntries(found) });
    return { files, left, confirm };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scope[Symbol.asyncDispose]();
  }

  /** Writes the files of the bundle if they have changed; the program may have changed its copies. */
  async #seed(files: readonly WorkspaceSeed[]): Promise<void> {
    const hash = createHash('sha256');
    for (const { path, bytes } of files) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
    const seeded = hash.digest('hex');
    if (this.#state.seeded === seeded) return;
    const root = this.path('workspace');
    for (const { path, bytes } of files) await writeBeneath(root, path, bytes);
    const { files: found } = await survey(root);
    const own = files.flatMap(({ path }) => {
      const state = found.get(path);
      return state ? [[path, state] as const] : [];
    });
    const known = { ...this.#state.files, ...Object.fromEntries(own) };
    await this.#keep({ ...this.#state, seeded, files: known });
  }

  async #keep(state: WorkspaceState): Promise<void> {
    this.#state = state;
    await writeState(this.folder, state);
  }
}

function isSame(before: FileState | undefined, now: FileState): boolean {
  return before?.size === now.size && before.mtimeMs === now.mtimeMs && before.ino === now.ino;
}
