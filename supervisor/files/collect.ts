import { isFault } from '../../runtime/base/fault.ts';
import { Work } from '../../runtime/base/signal.ts';
import type { BlobStore } from '../../runtime/timeline/ports/blobs.ts';
import { fileName } from '../../runtime/tools/files/file-path.ts';
import { mimeOf } from '../../runtime/tools/files/mime.ts';
import type {
  ContractItem,
  ExecArtifact,
  ExecRequest,
  LeftoverFile,
  UndeliveredFile,
} from '../../runtime/tools/ports/sandbox.ts';
import type { Cell, FoundOutput } from '../cell/cell.ts';
import { unfitContent } from '../egress/check-content.ts';
import { sealedFile } from '../egress/sealed-file.ts';
import { candidatePaths, searchPaths, workspaceOf } from './contract.ts';
import { findMisplacedOutput } from './find-misplaced-output.ts';
import { collectMsMax, leftFilesMax } from './limits.ts';
import { Previews } from './text-preview.ts';
import { type UndeclaredOutput, undeclaredOutputs } from './undeclared-outputs.ts';
import { workspaceRetention } from './workspace-retention.ts';

export type Delivery = {
  readonly artifacts: readonly ExecArtifact[];
  readonly unfit: readonly UndeliveredFile[];
  /** Undeclared files that are not kept. */
  readonly left: readonly LeftoverFile[];
  /** Why some files could not be checked or kept. */
  readonly failure?: unknown;
};

/**
 * Collects the contracted files, each kept or reported with the reason why it is invalid, and the workspace. If a store, the
 * sandbox or the deadline fails here, only the affected files are lost: the program has run and its calls have been made.
 */
export async function collect(
  request: ExecRequest,
  { cell, blobs }: { cell: Cell; blobs: BlobStore },
): Promise<Delivery> {
  const { contract, turn, turnName, tenant, limits } = request;
  const names = { turn, turnName };
  const paths = searchPaths(request);
  if (paths.length === 0) return { artifacts: [], unfit: [], left: [] };
  // A separate deadline, because the files of a cancelled program are collected too.
  using work = new Work(new AbortController().signal, { deadlineMs: collectMsMax });
  const { signal } = work;
  const bytesMax = limits.fileMb * 1024 * 1024;
  const keep = workspaceRetention({
    given: new Map(workspaceOf(request).map(({ filepath, blob }) => [filepath, blob])),
    put: (bytes) => blobs.put(tenant, bytes, { signal, bytesMax }),
  });
  const attempts = new Attempts(signal);
  const found = new Map<string, FoundOutput>();
  await attempts.do(() => cell.collect(paths, { signal, keep, found }), undefined);
  const place = { tenant, blobs, signal };
  const previews = new Previews();
  const artifacts: ExecArtifact[] = [];
  const unfit: UndeliveredFile[] = [];
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
  const left: LeftoverFile[] = [];
  for (const file of unasked) {
    const unkept = { ...toUnkept(file), code: notCollected.code };
    const one = await attempts.do(() => checkUndeclared(file, place), unkept);
    if (one.kind === 'left') left.push(toLeft(one));
    else artifacts.push(toUndeclared(one));
  }
  return { artifacts, unfit, left: left.slice(0, leftFilesMax), failure: attempts.failure };
}

const notCollected = { kind: 'refused', code: 'not_collected' } as const;

/** Runs acts that may fail with a Fault. Keeps the first failure. */
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

function toMissing(filepath: string, found_at: string | undefined): UndeliveredFile {
  return { filepath, code: 'missing_file', ...(found_at === undefined ? {} : { found_at }) };
}

/** The rules for delivered files also apply to kept files, but an invalid kept file does not fail the run. */
async function checkUndeclared(
  file: UndeclaredOutput,
  place: BlobAccess,
): Promise<UndeclaredOutput> {
  if (file.kind === 'left') return file;
  const { filepath, blob } = file;
  const code = await unfitContent(fileName(filepath), sealedFile(blob, place));
  return code === undefined ? file : { kind: 'left', filepath, size: blob.size, code };
}

function toLeft({ filepath, size, code }: LeftoverFile): LeftoverFile {
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

/** Inspects our own copy, which the program can no longer change. */
async function checkDeclared(
  { filepath }: ContractItem,
  found: FoundOutput,
  place: BlobAccess,
): Promise<FoundOutput> {
  if (found.kind !== 'file') return found;
  const code = await unfitContent(fileName(filepath), sealedFile(found.blob, place));
  return code === undefined ? found : { kind: 'refused', code };
}

function onlyCandidate(places: readonly FoundOutput[]): FoundOutput {
  const there = places.filter((found) => found.kind !== 'missing' && found !== notCollected);
  if (there.length > 1) return { kind: 'refused', code: 'ambiguous_output' };
  return there[0] ?? places.find((found) => found === notCollected) ?? { kind: 'missing' };
}

async function toArtifact(
  { filepath, description, visibility }: ContractItem,
  { blob }: FoundOutput & { kind: 'file' },
  { previews, ...place }: BlobAccess & { previews: Previews },
): Promise<ExecArtifact> {
  const mime = mimeOf(fileName(filepath));
  // A file without a preview is still delivered.
  const attempts = new Attempts(place.signal);
  const preview = await attempts.do(
    () => previews.of(sealedFile(blob, place), { mime }),
    undefined,
  );
  const artifact = { filepath, description, visibility, mime, blob };
  return preview === undefined ? artifact : { ...artifact, preview };
}
