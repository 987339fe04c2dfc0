import { createRequire } from 'node:module';

const load: (name: string) => unknown = createRequire(import.meta.url);

/** A function that loads a package at its first call: for large packages that many processes never use. */
export function lazyPackage<Module>(name: string): () => Module {
  let loaded: Module | undefined;
  return () => {
    loaded ??= load(name) as Module;
    return loaded;
  };
}
