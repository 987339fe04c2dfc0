import type { JsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import type { BundleDefinition } from '../bundle.ts';
import { isDefinition } from '../definition.ts';
import type { PropsDefinition } from '../settings.ts';
import type { Problems } from './problems.ts';
import { toSentence, toViolations } from './schema.ts';

type Values = Readonly<Record<string, unknown>>;

/** The props of one bundle: parsed, and given anew while it serves. */
export class BundleProps {
  readonly #props: PropsDefinition | undefined;
  #given: JsonObject;
  #now: Values = {};

  /** What does not fit is added to the problems. */
  constructor({ props }: BundleDefinition, given: JsonObject, problems: Problems) {
    this.#props = isDefinition('props', props) ? props : undefined;
    this.#given = given;
    const { values, wrong } = this.#read(given);
    if (values) this.#now = values;
    for (const problem of wrong) problems.add(problem);
  }

  /** Those in force. */
  get now(): Values {
    return this.#now;
  }

  /** What they were parsed from. */
  get given(): JsonObject {
    return this.#given;
  }

  /** Refusal `invalid_input`: those in force would stay. */
  check(given: JsonObject): Values {
    const { values, wrong } = this.#read(given);
    if (values) return values;
    throw new Refusal('invalid_input', `${wrong.join('; ')}. The props before stay in force.`);
  }

  /** In force from now on. Refusal `invalid_input`: those before stay. */
  give(given: JsonObject): void {
    this.#now = this.check(given);
    this.#given = given;
  }

  #read(given: JsonObject): { readonly values?: Values; readonly wrong: readonly string[] } {
    const keys = Object.keys(given);
    if (!this.#props) {
      const wrong = `it has no props, but is given ${keys.join(', ')}`;
      return keys.length > 0 ? { wrong: [wrong] } : { values: {}, wrong: [] };
    }
    const { schema } = this.#props;
    const unknown = keys.filter((key) => !Object.hasOwn(schema.shape, key));
    const parsed = schema.safeParse(given);
    const wrong = [
      ...(unknown.length > 0 ? [`it has no props ${unknown.join(', ')}`] : []),
      ...(parsed.success
        ? []
        : [`its props do not fit: ${toSentence(toViolations(parsed.error))}`]),
    ];
    return parsed.success && wrong.length === 0
      ? { values: Object.freeze(parsed.data), wrong }
      : { wrong };
  }
}
