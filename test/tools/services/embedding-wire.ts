import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { Embedder } from '../../../runtime/timeline/ports/embedder.ts';

export type EmbeddingReply = 'vectors' | { readonly status: number } | { readonly body: unknown };
export interface EmbeddingWire extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly {
    readonly model: string;
    readonly input: readonly string[];
    readonly key?: string;
  }[];
}

/** Texts of the same words mean the same, however they are ordered; words of one list mean nearly the same. */
const meanings = [
  ['rain', 'rainfall', 'regen', 'precipitation', 'weather'],
  ['bread', 'brot', 'sourdough', 'loaf', 'baking'],
  ['invoice', 'bill', 'rechnung', 'payment'],
];
const dimensions = 64;

/** What a text means, made of its words alone: always the same. */
export function meaningOf(text: string): readonly number[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const sum = new Array<number>(dimensions).fill(0);
  for (const word of words) {
    const group = meanings.findIndex((each) => each.includes(word));
    for (const [index, value] of direction(group < 0 ? word : `meaning ${group}`).entries()) {
      sum[index] = (sum[index] ?? 0) + value;
    }
  }
  return sum;
}

/** A direction of its own for each word: far from that of any other. */
function direction(word: string): readonly number[] {
  let state = [...word].reduce(
    (hash, char) => Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619),
    2_166_136_261,
  );
  return Array.from({ length: dimensions }, () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 13), 3_266_489_917);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 31 - 1;
  });
}

/** The same without a wire. */
export const scriptedEmbedder: Embedder = {
  space: 'scripted:meanings',
  embed: async (texts, { signal }) => {
    signal.throwIfAborted();
    return texts.map(meaningOf);
  },
};

/** A real server on this machine that speaks the wire of OpenAI's embeddings. */
export async function openEmbeddingWire(
  reply: (input: readonly string[], index: number) => EmbeddingReply = () => 'vectors',
): Promise<EmbeddingWire> {
  const requests: { model: string; input: string[]; key?: string }[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const { model, input } = JSON.parse(await readText(incoming)) as {
        model: string;
        input: string[];
      };
      const key = incoming.headers.authorization;
      requests.push({ model, input, ...(key === undefined ? {} : { key }) });
      const answer =
        incoming.url === '/v1/embeddings' ? reply(input, requests.length - 1) : { status: 404 };
      const status = typeof answer === 'object' && 'status' in answer ? answer.status : 200;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(bodyOf(answer, input)));
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function bodyOf(answer: EmbeddingReply, input: readonly string[]): unknown {
  if (answer !== 'vectors') return 'status' in answer ? { error: { message: 'no' } } : answer.body;
  const data = input.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: meaningOf(text),
  }));
  // Servers may answer in any order; the index says which is which.
  return {
    object: 'list',
    data: data.toReversed(),
    model: 'm',
    usage: { prompt_tokens: 1, total_tokens: 1 },
  };
}
