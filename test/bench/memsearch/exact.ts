import type { Client } from 'pg';
import type { Planted } from './corpus.ts';

/** As the search's own statement for near vectors returns them. */
export type Neighbour = { id: string; age: number; near: number; vector: null };

const page = 20_000;
const kept = 100;
const headerBytes = 20;
const componentBytes = 8;

/** For each query the nearest of all vectors, each compared with each: one pass over the table. */
export async function exactNeighbours(
  client: Client,
  queries: readonly Planted[],
  dimensions: number,
): Promise<readonly (readonly Neighbour[])[]> {
  const wanted = queries.map(({ vector }) => unit(Float32Array.from(vector)));
  const best: Neighbour[][] = queries.map(() => []);
  for (let [conv, seq] = [0, 0]; ; ) {
    const { rows } = await client.query<{ conv: string; seq: string; age: number; v: Buffer }>(
      `select conv, seq, (extract(epoch from clock_timestamp() - at) * 1000)::float8 as age, array_send(vector) as v
         from snippet_vector where (conv, seq) > ($1, $2) order by conv, seq limit ${page}`,
      [conv, seq],
    );
    for (const row of rows) {
      const vector = unit(toFloats(row.v, dimensions));
      const place = { id: `${row.conv}.${row.seq}`, age: row.age, vector: null };
      for (const [index, query] of wanted.entries())
        offer(best[index] ?? [], { ...place, near: dot(query, vector) });
    }
    const last = rows.at(-1);
    if (!last || rows.length < page) return best.map((each) => each.toSorted(nearest));
    [conv, seq] = [Number(last.conv), Number(last.seq)];
  }
}

/** Sorted and cut only now and then. */
function offer(best: Neighbour[], one: Neighbour): void {
  best.push(one);
  if (best.length < 20 * kept) return;
  best.sort(nearest);
  best.length = kept;
}

function nearest(a: Neighbour, b: Neighbour): number {
  return b.near - a.near;
}

function toFloats(bytes: Buffer, dimensions: number): Float32Array {
  const floats = new Float32Array(dimensions);
  for (let index = 0; index < dimensions; index += 1) {
    floats[index] = bytes.readFloatBE(headerBytes + index * componentBytes + 4);
  }
  return floats;
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return vector.map((x) => x / length);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
