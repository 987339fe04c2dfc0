import { isFault } from '../../../base/fault.ts';

/** Parts of a request that a model can do without, if its server rejects them. */
export type Feature =
  | 'forcedChoice'
  | 'json'
  | 'parts'
  | 'usage'
  | 'temperature'
  | 'effort'
  /** Arguments of calls are streamed as they are written. */
  | 'eagerInput'
  /** A message of the user directly after the result of a call. */
  | 'textAfterResult';

/** How servers name what they reject. */
const names: Readonly<Record<Feature, RegExp>> = {
  forcedChoice: /tool_choice|tool choice|forces? tool use/i,
  json: /response_format|json_object|json_schema|json mode|text\.format/i,
  parts: /content.{0,80}(must|should|expected|valid|to be).{0,40}str|sequence, expected a string/is,
  textAfterResult: /roles? must alternate|unexpected role|after role .?tool/i,
  eagerInput: /eager_input_streaming/i,
  usage: /stream_options|include_usage/i,
  temperature: /temperature/i,
  effort: /reasoning|effort|thinking/i,
};

const statuses: ReadonlySet<unknown> = new Set([400, 404, 405, 415, 422, 500, 501]);

/** Learns from a server's answers what it rejects. Each feature is learned once, so a request is repeated a few times at most. */
export class RejectedFeatures {
  readonly #rejected = new Set<Feature>();

  accepts(feature: Feature): boolean {
    return !this.#rejected.has(feature);
  }

  /** Whether the error names a feature that the request used, so that it may be repeated without it. */
  learn(error: unknown, body: object): boolean {
    if (!isFault(error) || !statuses.has(error.detail['status'])) return false;
    const text = String(error.detail['because']);
    const named = featuresIn(body).find(
      (feature) => this.accepts(feature) && names[feature].test(text),
    );
    if (named === undefined) return false;
    this.#rejected.add(named);
    return true;
  }
}

/** Fields of a request's body, by the names of all the providers. */
const fields: ReadonlyMap<string, Feature> = new Map([
  ['response_format', 'json'],
  ['text', 'json'],
  ['stream_options', 'usage'],
  ['temperature', 'temperature'],
  ['reasoning_effort', 'effort'],
  ['reasoning', 'effort'],
  ['output_config', 'effort'],
  ['tools', 'eagerInput'],
]);

function featuresIn(body: object): readonly Feature[] {
  return Object.entries(body).flatMap(([key, value]) => {
    const feature = fields.get(key);
    if (feature !== undefined) return [feature];
    if (key === 'tool_choice') return isForced(value) ? ['forcedChoice'] : [];
    return key === 'messages' ? ['parts', 'textAfterResult'] : [];
  });
}

function isForced(choice: unknown): boolean {
  const kind: unknown = typeof choice === 'string' ? choice : Reflect.get(Object(choice), 'type');
  return kind !== 'auto' && kind !== 'none';
}
