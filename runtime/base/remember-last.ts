const rememberedMax = 16;

/** Remembers the results of a pure function for the texts that were used last. */
export function rememberLast<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const value = known.get(text) ?? make(text);
    known.delete(text);
    known.set(text, value);
    if (known.size > rememberedMax) known.delete(known.keys().next().value ?? '');
    return value;
  };
}
