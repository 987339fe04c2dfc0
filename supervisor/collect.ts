import { isFault } from '../runtime/base/fault.ts';
import { Work } from '../runtime/base/signal.ts';
import type { BlobStore } from '../runtime/timeline/blobs.ts';
import { fileName } from '../runtime/tools/file-path.ts';
import { mimeOf } from '../runtime/tools/mime.ts';
import type {
  ContractItem,
  ExecArtifact,
  ExecRequest,
  LeftFile,
  UnfitFile,
} from '../runtime/tools/sandbox.ts';
import type { Cell, Found } from './cell.ts';
import { candidatePaths, searchPaths, workspaceOf } from './contract.ts';
import { unfitContent } from './egress/check-content.ts';
import { sealedFile } from './egress/sealed-file.ts';
import { findMisplacedOutput } from './elsewhere.ts';
import { collectMsMax, leftFilesMax } from './files-limits.ts';
import { workspaceRetention } from './keeping.ts';
import { Previews } from './preview.ts';
import { type UndeclaredOutput, undeclaredOutputs } from './unasked.ts';

export type Delivery = {
  readonly artifacts: readonly ExecArtifact[];
  readonly unfit: readonly UnfitFile[];
  /** What nobody asked for, and is not kept. */
  readonly left: readonly LeftFile[];
  /** Why some of it could not be looked at or kept: what is listed is all there is. */
  readonly failure?: unknown;
};

/**
 * The contracted files, each found fit and kept, or named with the reason why not; and the workspace. A store, a sandbox or
 * a deadline that fails here costs the files it fails for: the program has run, and its calls have happened.
 */
export async function collect(
  request: ExecRequest,
  { cell, blobs }: { cell: Cell; blobs: BlobStore },
): Promise<Delivery> {
  const { contract, turn, turnName, tenant, limits } = request;
  const names = { turn, turnName };
  const paths = searchPaths(request);
  if (paths.length === 0) return { artifacts: [], unfit: [], left: [] };
  // Its own deadline: a cancelled program's files are collected too.
  using work = new Work(new AbortController().signal, { deadlineMs: collectMsMax });
  const { signal } = work;
  const bytesMax = limits.fileMb * 1024 * 1024;
  const keep = workspaceRetention({
    given: new Map(workspaceOf(request).map(({ filepath, blob }) => [filepath, blob])),
    put: (bytes) => blobs.put(tenant, bytes, { signal, bytesMax }),
  });
  const attempts = new Attempts(signal);
  const found = new Map<string, Found>();
  await attempts.do(() => cell.collect(paths, { signal, keep, found }), undefined);
  const place = { tenant, blobs, signal };
  const previews = new Previews();
  const artifacts: ExecArtifact[] = [];
  const unfit: UnfitFile[] = [];
  const unasked = undeclaredOutputs(found, request);
  for (const item of contract) {
    const places = candidatePaths(item.filepath, names).map(
      (path) => found.get(path) ?? notCollected,
    );
    const one = await attempts.do(
      () => checkDeclared(item, onlyCandidate(places), place),
      notCollected,
    );
    if (one.kind === 'file') artifacts.push(await toArtifact(item, one, { ...place, previews }));
    else if (one.kind === 'refused') unfit.push({ filepath: item.filepath, code: one.code });
    else
      unfit.push(
        toMissing(item.filepath, findMisplacedOutput(item.filepath, { ...names, found, unasked })),
      );
  }
  const left: LeftFile[] = [];
  for (const file of unasked) {
    const unkept = { ...toUnkept(file), code: notCollected.code };
    const one = await attempts.do(() => checkUndeclared(file, place), unkept);
    if (one.kind === 'left') left.push(toLeft(one));
    else artifacts.push(toUndeclared(one));
  }
  return { artifacts, unfit, left: left.slice(0, leftFilesMax), failure: attempts.failure };
}

const notCollected = { kind: 'refused', code: 'not_collected' } as const;

/** What the world may refuse. The first failure is the one that is told. */
class Attempts {
  readonly #signal: AbortSignal;
  failure: unknown;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async do<T>(act: () => Promise<T>, instead: T): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (!isFault(error) && !this.#signal.aborted) throw error;
      this.failure ??= error;
      return instead;
    }
  }
}

function toUnkept(file: UndeclaredOutput): UndeclaredOutput & { kind: 'left' } {
  if (file.kind === 'left') return file;
  return { kind: 'left', filepath: file.filepath, size: file.blob.size };
}

function toMissing(filepath: string, found_at: string | undefined): UnfitFile {
  return { filepath, code: 'missing_file', ...(found_at === undefined ? {} : { found_at }) };
}

/** The rules for what is delivered hold for what is kept; that it broke one is told, and fails nothing. */
async function checkUndeclared(
  file: UndeclaredOutput,
  place: BlobAccess,
): Promise<UndeclaredOutput> {
  if (file.kind === 'left') return file;
  const { filepath, blob } = file;
  const code = await unfitContent(fileName(filepath), sealedFile(blob, place));
  return code === undefined ? file : { kind: 'left', filepath, size: blob.size, code };
}

function toLeft({ filepath, size, code }: LeftFile): LeftFile {
  return { filepath, size, ...(code === undefined ? {} : { code }) };
}

function toUndeclared({ filepath, blob }: UndeclaredOutput & { kind: 'kept' }): ExecArtifact {
  const mime = mimeOf(fileName(filepath));
  return { filepath, description: '', visibility: 'internal', mime, blob, undeclared: true };
}

type BlobAccess = {
  readonly tenant: string;
  readonly blobs: BlobStore;
  readonly signal: AbortSignal;
};

/** What is looked into is our own copy: a program has no hand in it any more. */
async function checkDeclared(
  { filepath }: ContractItem,
  found: Found,
  place: BlobAccess,
): Promise<Found> {
  if (found.kind !== 'file') return found;
  const code = await unfitContent(fileName(filepath), sealedFile(found.blob, place));
  return code === undefined ? found : { kind: 'refused', code };
}

function onlyCandidate(places: readonly Found[]): Found {
  const there = places.filter((found) => found.kind !== 'missing' && found !== notCollected);
  if (there.length > 1) return { kind: 'refused', code: 'ambiguous_output' };
  return there[0] ?? places.find((found) => found === notCollected) ?? { kind: 'missing' };
}

async function toArtifact(
  { filepath, description, visibility }: ContractItem,
  { blob }: Found & { kind: 'file' },
  { previews, ...place }: BlobAccess & { previews: Previews },
): Promise<ExecArtifact> {
  const mime = mimeOf(fileName(filepath));
  // Who cannot be shown its beginning gets the file all the same.
  const attempts = new Attempts(place.signal);
  const preview = await attempts.do(
    () => previews.of(sealedFile(blob, place), { mime }),
    undefined,
  );
  const artifact = { filepath, description, visibility, mime, blob };
  return preview === undefined ? artifact : { ...artifact, preview };
}
