/** A chunk of a UI message stream. */
export type Chunk = { readonly type: string; readonly [field: string]: unknown };

/**
 * The chunks of the current step by part, with the pieces of each text as one. A step that is reset begins again with
 * the parts that still count.
 */
export class StepParts {
  readonly #parts = new Map<string, Chunk[]>();

  begin(): void {
    this.#parts.clear();
  }

  add(part: string, chunk: Chunk): void {
    const chunks = this.#parts.get(part) ?? [];
    this.#parts.set(part, chunks);
    const last = chunks.at(-1);
    if (last && last.type === chunk.type && 'delta' in chunk) {
      chunks.splice(-1, 1, { ...last, delta: `${String(last['delta'])}${String(chunk['delta'])}` });
    } else chunks.push(chunk);
  }

  /** What a client has to receive after the part was taken back. */
  without(part: string): readonly Chunk[] {
    this.#parts.delete(part);
    return [{ type: 'reset-step' }, ...[...this.#parts.values()].flat()];
  }
}
