import { type ComponentType, lazy } from 'react';
import { loadPatiently } from '../../shared/load-patiently.ts';

/** A view in a file of its own. Where the file cannot be loaded, the page stays and the view comes later. */
export function lazyPart<Name extends string, Props>(
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>,
  name: Name,
) {
  return lazy(async () => ({ default: (await loadPatiently(load))[name] }));
}
