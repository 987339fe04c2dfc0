const meanings: Readonly<Record<string, string>> = {
  new: 'new text, never sent before',
  tail: 'SOURCES and ANNOUNCE, which are never cached',
  cold: 'the cache entry had expired',
  aside: 'another prompt, such as a summary',
  provider: 'sent recently and unchanged, but the provider did not have it',
  undeclared: 'the prompt changed without a declared cause',
  hide: 'the agent hid something earlier in the prompt',
  unhide: 'something hidden came back',
  prune: 'old turns were pruned',
  compact: 'earlier turns were compacted',
};

/** Why input tokens were not read from a cache, in words. */
export function meaningOf(cause: string): string {
  return meanings[cause] ?? `a change of the ${cause}`;
}
