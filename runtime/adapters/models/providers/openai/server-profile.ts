import type { ModelAbilities } from '../../../../engine/ports/model.ts';
import type { ModelServer } from '../../../../sdk/define/model.ts';

/** In what a compatible server differs from OpenAI. */
export type ServerProfile = {
  /** Undefined: they depend on the model and on how the server was started. */
  readonly abilities?: ModelAbilities;
  /** `json_schema`: the server restricts a reply only to a schema, and any object is one. */
  readonly jsonFormat: 'json_object' | 'json_schema';
  /** `required` or a certain tool can be chosen. Otherwise the choice is `auto`. */
  readonly forcedChoice: boolean;
  /** The server wants this field of a reply back with the history. */
  readonly reasoningBack?: 'reasoning_details';
};

const likeOpenai: ServerProfile = { jsonFormat: 'json_object', forcedChoice: true };

const profiles: Readonly<Record<ModelServer, ServerProfile>> = {
  // Tool calling needs --enable-auto-tool-choice and a parser; a forced choice and JSON are guided decoding.
  vllm: likeOpenai,
  // Accepts the choice of a tool and ignores it.
  ollama: { ...likeOpenai, forcedChoice: false },
  // Tool calling needs --jinja.
  'llama.cpp': likeOpenai,
  // Knows auto, none and a named tool.
  'mistral.rs': { ...likeOpenai, forcedChoice: false },
  lmstudio: { jsonFormat: 'json_schema', forcedChoice: false },
  // Forwards to many providers; those that lack a choice of tool are learned.
  openrouter: {
    ...likeOpenai,
    abilities: { tools: true, forcedChoice: false, json: false },
    reasoningBack: 'reasoning_details',
  },
};

/** The profile that the settings name, or the one that the address shows. */
export function profileOf(
  server: ModelServer | undefined,
  baseUrl: string | undefined,
): ServerProfile {
  const found = server ?? serverAt(baseUrl);
  return found === undefined ? likeOpenai : profiles[found];
}

/** The default ports of servers that have one of their own. */
const ports: ReadonlyMap<string, ModelServer> = new Map([
  ['11434', 'ollama'],
  ['1234', 'lmstudio'],
]);

function serverAt(baseUrl = ''): ModelServer | undefined {
  const url = URL.parse(baseUrl);
  if (url === null) return undefined;
  return /(^|\.)openrouter\.ai$/.test(url.hostname) ? 'openrouter' : ports.get(url.port);
}
