/** A tool call. Its input is streamed in pieces of `chars` characters. */
export type WireCall = {
  readonly name: string;
  readonly input: object;
  readonly id?: string;
  readonly chars?: number;
};

export type WireUsage = { input: number; output: number; cacheRead?: number; cacheWrite?: number };

export type WireReply =
  | {
      readonly text: Iterable<string> | AsyncIterable<string>;
      readonly reasoning?: string;
      /** After the text. */
      readonly calls?: readonly WireCall[];
      /** `none`: the stream ends without saying why. */
      readonly finish?: 'stop' | 'length' | 'refusal' | 'none';
      readonly usage?: WireUsage;
      /** Bytes per packet: events and characters are torn wherever they happen to be. */
      readonly packetBytes?: number;
      /** After the text: the connection breaks, or the provider sends an error inside the stream. */
      readonly end?: 'cut' | 'overloaded';
    }
  | {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly error?: WireError;
      /** Instead of an error in the provider's form. */
      readonly body?: string;
    }
  /** A stream as it was recorded, byte for byte. `cut`: the connection breaks at its end. */
  | { readonly recorded: string; readonly cut?: boolean; readonly packetBytes?: number }
  /** The connection breaks before anything is said. */
  | 'cut';

export type WireError = { readonly type: string; readonly message: string };

/** One event of a stream, as a provider sends it. */
export type WireEvent = { readonly name?: string; readonly data: unknown };

export type WireStream = Extract<WireReply, { text: unknown }>;

export function piecesOf({
  input,
  chars = 7,
}: Pick<WireCall, 'input' | 'chars'>): readonly string[] {
  const text = JSON.stringify(input);
  return Array.from({ length: Math.ceil(text.length / chars) }, (_, n) =>
    text.slice(n * chars, (n + 1) * chars),
  );
}
