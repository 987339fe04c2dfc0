/** Wraps an object so that it can be cut off, as in a killed process: every later call fails. */
export function severable<T extends object>(
  whole: T,
  explain: () => Error,
): { readonly guarded: T; sever(): void } {
  let severed = false;
  const guarded = new Proxy(whole, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: readonly unknown[]): unknown =>
        severed ? Promise.reject(explain()) : Reflect.apply(member, target, given);
    },
  });
  const sever = () => {
    severed = true;
  };
  return { guarded, sever };
}
