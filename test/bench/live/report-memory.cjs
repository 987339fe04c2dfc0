/** Loaded before a server: answers each message of its parent with the bytes that are in use after a collection. */
process.on('message', () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send(heapUsed + external);
});
// The server may end while its parent still listens; a process without a parent that listens has no channel.
process.channel?.unref();
