import { isRefusal } from '../runtime/base/refusal.ts';
import { Work } from '../runtime/base/signal.ts';
import type { BlobStore } from '../runtime/timeline/blobs.ts';
import { fileName, toTurnFile } from '../runtime/tools/file-path.ts';
import { mimeOf } from '../runtime/tools/mime.ts';
import type {
  ContractItem,
  ExecArtifact,
  ExecRequest,
  LeftFile,
} from '../runtime/tools/sandbox.ts';
import type { Cell, Found, Keep } from './cell.ts';
import { lookedFor, placesOf } from './contract.ts';
import { unfitContent } from './egress/check-content.ts';
import { sealedFile } from './egress/sealed-file.ts';
import { collectMsMax } from './limits.ts';
import { Previews } from './preview.ts';

export type Delivery = {
  readonly artifacts: readonly ExecArtifact[];
  readonly unfit: readonly { readonly filepath: string; readonly code: string }[];
  /** What nobody asked for, and could have. */
  readonly left: readonly LeftFile[];
};

/** The contracted files, each found fit and kept, or named with the reason why not. */
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
  const keep: Keep = (bytes) => blobs.put(tenant, bytes, { signal, bytesMax });
  const found = await cell.collect(looked, { signal, keep });
  const place = { tenant, blobs, signal };
  const previews = new Previews();
  const artifacts: ExecArtifact[] = [];
  const unfit: { filepath: string; code: string }[] = [];
  for (const item of contract) {
    const places = placesOf(item.filepath, { turn }).map((place) => found.get(place));
    const one = await fitIn(item, oneOf(places), place);
    if (one.kind === 'file') artifacts.push(await toArtifact(item, one, { ...place, previews }));
    else {
      const code = one.kind === 'refused' ? one.code : 'missing_file';
      unfit.push({ filepath: item.filepath, code });
    }
  }
  return { artifacts, unfit, left: leftIn(found, request) };
}

/** Under the names that a contract could give them; what the program was given and has the same size is none of it. */
function leftIn(
  found: ReadonlyMap<string, Found>,
  { turn, inputs }: ExecRequest,
): readonly LeftFile[] {
  const given = new Map(inputs.map(({ filepath, blob }) => [filepath, blob.size]));
  return [...found].flatMap(([path, one]) => {
    const filepath = one.kind === 'unasked' ? nameable(path, turn) : undefined;
    if (one.kind !== 'unasked' || filepath === undefined) return [];
    return given.get(filepath) === one.size ? [] : [{ filepath, size: one.size }];
  });
}

function nameable(path: string, turn: string): string | undefined {
  try {
    return toTurnFile(path, { turn });
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
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
