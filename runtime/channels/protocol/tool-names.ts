import { wireNameCharsMax } from './limits.ts';

/** The tool of a provider's tool calling that ends the turn with a structured output. Ids of tools contain a dot. */
export const finalToolName = 'complete';

/** The names of an agent's tools where a provider forbids dots. */
export interface ToolNames {
  /** The name on the wire. */
  nameOf(id: string): string;
  /** The id of the tool that a model means. An unknown name stays recognizable. */
  idOf(name: string): string;
  /** Ids that would have the same name. */
  readonly collisions: readonly (readonly string[])[];
}

/**
 * The ids are those of the visible tools. Where several would have the same name, only the first one has it. `recorded`:
 * names by id that were in use when a reply was written.
 */
export function createToolNames(
  ids: readonly string[],
  recorded: ReadonlyMap<string, string> = new Map(),
): ToolNames {
  const sorted = [...new Set(ids)].toSorted();
  const byName = byWireName(sorted);
  const nameOf = (id: string) => {
    const known = recorded.get(id);
    if (known !== undefined) return known;
    const name = wireName(id);
    return (byName.get(name)?.[0] ?? id) === id ? name : withDigest(name, id);
  };
  const names = new Map(sorted.map((id) => [nameOf(id), id]));
  return {
    nameOf,
    idOf: (name) =>
      names.get(name) ??
      sorted.find((id) => id === name) ??
      only(sorted, (id) => letters(id) === letters(name)) ??
      only(sorted, (id) => letters(lastPart(id)) === letters(name)) ??
      name.replaceAll('__', '.'),
    collisions: [...byName.values()].filter((same) => same.length > 1),
  };
}

function byWireName(ids: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  for (const id of ids) {
    const name = wireName(id);
    byName.set(name, [...(byName.get(name) ?? []), id]);
  }
  return byName;
}

/** `alias.name` becomes `alias__name`. A name that is too long ends with a digest of the id. */
export function wireName(id: string): string {
  const name = id.replaceAll('.', '__').replace(/[^\w-]/g, '_');
  return name.length <= wireNameCharsMax ? name : withDigest(name, id);
}

function withDigest(name: string, id: string): string {
  const digest = `_${fnv1a(id).toString(36).padStart(7, '0')}`;
  return name.slice(0, wireNameCharsMax - digest.length) + digest;
}

function only(ids: readonly string[], fits: (id: string) => boolean): string | undefined {
  const found = ids.filter(fits);
  return found.length === 1 ? found[0] : undefined;
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function lastPart(id: string): string {
  return id.slice(id.lastIndexOf('.') + 1);
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash;
}
