/** A stream that is opened on the first read. */
export function toStream(
  open: () => Promise<AsyncIterable<Uint8Array>>,
): ReadableStream<Uint8Array> {
  async function* opened() {
    yield* await open();
  }
  const pieces = opened();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await pieces.return(undefined);
    },
  });
}
