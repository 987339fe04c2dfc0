import type { JsonObject } from '../../base/json.ts';
import type { BundleDefinition } from '../bundle.ts';
import { isDefinition } from '../definition.ts';
import type { Problems } from './problems.ts';
import { toSentence, toViolations } from './schema.ts';

/** The parsed props of a bundle; what does not fit is added to the problems. */
export function propsOf(
  { props }: BundleDefinition,
  given: JsonObject,
  problems: Problems,
): Readonly<Record<string, unknown>> {
  if (!isDefinition('props', props)) {
    const keys = Object.keys(given);
    if (keys.length > 0) problems.add(`it has no props, but is given ${keys.join(', ')}`);
    return {};
  }
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(props.schema.shape, key));
  if (unknown.length > 0) problems.add(`it has no props ${unknown.join(', ')}`);
  const parsed = props.schema.safeParse(given);
  if (parsed.success) return Object.freeze(parsed.data);
  problems.add(`its props do not fit: ${toSentence(toViolations(parsed.error))}`);
  return {};
}
