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
import { lookedFor, placesOf, workspaceOf } from './contract.ts';
import { unfitContent } from './egress/check-content.ts';
import { sealedFile } from './egress/sealed-file.ts';
import { elsewhere } from './elsewhere.ts';
import { keepWorkspace } from './keeping.ts';
import { collectMsMax, leftFilesMax } from './limits.ts';
import { Previews } from './preview.ts';
import { type Unasked, unaskedIn } from './unasked.ts';

export type Delivery = {
  readonly artifacts: readonly ExecArtifact[];
  readonly unfit: readonly UnfitFile[];
  /** What nobody asked for, and is not kept. */
  readonly left: readonly LeftFile[];
};

/** The contracted files, each found fit and kept, or named with the reason why not; and the workspace. */
export async function collect(
  request: ExecRequest,
  { cell, blobs }: { cell: Cell; blobs: BlobStore },
): Promise<Delivery> {
  const { contract, turn, tenant, limits } = request;
  const looked = lookedFor(request);
  if (looked.length === 0) return { artifacts: [], unfit: [], left: [] };
  // Its own deadline: a cancelled program's files are collected too.
  using work = new Work(new AbortController().signal, { deadlineMs: collectMsMax });
  const { signal } = work;
  const bytesMax = limits.fileMb * 1024 * 1024;
  const keep = keepWorkspace({
    turn,
    given: new Map(workspaceOf(request).map(({ filepath, blob }) => [filepath, blob])),
    put: (bytes) => blobs.put(tenant, bytes, { signal, bytesMax }),
  });
  const found = await cell.collect(looked, { signal, keep });
  const place = { tenant, blobs, signal };
  const previews = new Previews();
  const artifacts: ExecArtifact[] = [];
  const unfit: UnfitFile[] = [];
  const unasked = unaskedIn(found, request);
  for (const item of contract) {
    const places = placesOf(item.filepath, { turn }).map((place) => found.get(place));
    const one = await fitIn(item, oneOf(places), place);
    if (one.kind === 'file') artifacts.push(await toArtifact(item, one, { ...place, previews }));
    else if (one.kind === 'refused') unfit.push({ filepath: item.filepath, code: one.code });
    else unfit.push(toMissing(item.filepath, elsewhere(item.filepath, { turn, found, unasked })));
  }
  const left: LeftFile[] = [];
  for (const file of unasked) {
    const one = await judged(file, place);
    if (one.kind === 'left') left.push(toLeft(one));
    else artifacts.push(toUndeclared(one));
  }
  return { artifacts, unfit, left: left.slice(0, leftFilesMax) };
}

function toMissing(filepath: string, found_at: string | undefined): UnfitFile {
  return { filepath, code: 'missing_file', ...(found_at === undefined ? {} : { found_at }) };
}

/** The rules for what is delivered hold for what is kept; that it broke one is told, and fails nothing. */
async function judged(file: Unasked, place: Place): Promise<Unasked> {
  if (file.kind === 'left') return file;
  const { filepath, blob } = file;
  const code = await unfitContent(fileName(filepath), sealedFile(blob, place));
  return code === undefined ? file : { kind: 'left', filepath, size: blob.size, code };
}

function toLeft({ filepath, size, code }: LeftFile): LeftFile {
  return { filepath, size, ...(code === undefined ? {} : { code }) };
}

function toUndeclared({ filepath, blob }: Unasked & { kind: 'kept' }): ExecArtifact {
  const mime = mimeOf(fileName(filepath));
  return { filepath, description: '', visibility: 'internal', mime, blob, undeclared: true };
}

type Place = { readonly tenant: string; readonly blobs: BlobStore; readonly signal: AbortSignal };

/** What is looked into is our own copy: a program has no hand in it any more. */
async function fitIn({ filepath }: ContractItem, found: Found, place: Place): Promise<Found> {
  if (found.kind !== 'file') return found;
  const code = await unfitContent(fileName(filepath), sealedFile(found.blob, place));
  return code === undefined ? found : { kind: 'refused', code };
}

function oneOf(places: readonly (Found | undefined)[]): Found {
  const there = places.filter((found) => found !== undefined && found.kind !== 'missing');
  if (there.length > 1) return { kind: 'refused', code: 'ambiguous_output' };
  return there[0] ?? { kind: 'missing' };
}

async function toArtifact(
  { filepath, description, visibility }: ContractItem,
  { blob }: Found & { kind: 'file' },
  { previews, ...place }: Place & { previews: Previews },
): Promise<ExecArtifact> {
  const mime = mimeOf(fileName(filepath));
  const preview = await previews.of(sealedFile(blob, place), { mime });
  const artifact = { filepath, description, visibility, mime, blob };
  return preview === undefined ? artifact : { ...artifact, preview };
}
