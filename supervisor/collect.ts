import { Work } from '../runtime/base/signal.ts';
import type { BlobStore } from '../runtime/timeline/blobs.ts';
import { fileName } from '../runtime/tools/file-path.ts';
import { mimeOf } from '../runtime/tools/mime.ts';
import type { ContractItem, ExecArtifact, ExecRequest } from '../runtime/tools/sandbox.ts';
import type { Cell, Found } from './cell.ts';
import { placesOf } from './contract.ts';
import { unfitContent } from './egress/check-content.ts';
import { sealedFile } from './egress/sealed-file.ts';
import { collectMsMax } from './limits.ts';
import { Previews } from './preview.ts';

export type Delivery = {
  readonly artifacts: readonly ExecArtifact[];
  readonly unfit: readonly { readonly filepath: string; readonly code: string }[];
};

/** The contracted files, each found fit and kept, or named with the reason why not. */
export async function collect(
  request: ExecRequest,
  { cell, blobs }: { cell: Cell; blobs: BlobStore },
): Promise<Delivery> {
  const { contract, turn, tenant, limits } = request;
  if (contract.length === 0) return { artifacts: [], unfit: [] };
  // Its own deadline: a cancelled program's files are collected too.
  using work = new Work(new AbortController().signal, { deadlineMs: collectMsMax });
  const { signal } = work;
  const bytesMax = limits.fileMb * 1024 * 1024;
  const found = await cell.collect(
    contract.flatMap(({ filepath }) => placesOf(filepath, { turn })),
    { signal, keep: (bytes) => blobs.put(tenant, bytes, { signal, bytesMax }) },
  );
  const place = { tenant, blobs, signal };
  const previews = new Previews();
  const artifacts: ExecArtifact[] = [];
  const unfit: { filepath: string; code: string }[] = [];
  for (const item of contract) {
    const places = placesOf(item.filepath, { turn }).map((place) => found.get(place));
    const one = await fitIn(item, oneOf(places), place);
    if (one.kind === 'file') artifacts.push(await toArtifact(item, one, { ...place, previews }));
    else {
      const code = one.kind === 'missing' ? 'missing_file' : one.code;
      unfit.push({ filepath: item.filepath, code });
    }
  }
  return { artifacts, unfit };
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
