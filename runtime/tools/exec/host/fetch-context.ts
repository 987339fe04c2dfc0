import { isJsonObject, type Json } from '../../../base/json.ts';
import { selectedSidsMax } from '../../../timeline/limits.ts';
import { parsePath } from '../../../timeline/paths.ts';
import type { ResolvedPath, TurnServices } from '../../ports/call-services.ts';
import { wholeText } from '../../refs/resolved-text.ts';
import { cutText } from '../../text/cut-text.ts';
import { fetchedCharsMax } from '../limits.ts';

type FetchResult = {
  readonly ret: Json;
  readonly err: null | { readonly code: string; readonly message: string; readonly details: null };
};

const rejected: Readonly<Record<string, FetchResult>> = {
  fi: refuse(
    'invalid_path_file',
    'Files are under OUTPUT_DIR, of earlier turns after react.pull; fetch_file gives any, also one that a tool has just written.',
  ),
  sk: refuse('invalid_path_skill', 'Skills are for the agent; a program cannot read them.'),
  ks: refuse('invalid_path', 'Knowledge is for the agent; a program cannot read it.'),
};

/** All sources of a conversation, up to the limit of one path. */
const wholePool = /^(conv:)?so:([^.:/\s]+\.)?sources_pool$/;

/** `ctx_tools.fetch_ctx`: the text and, if it is JSON, its `payload`; for sources, the rows. Never throws for a path. */
export async function fetchContext(
  asked: string,
  services: Pick<TurnServices, 'read' | 'bytes'>,
): Promise<FetchResult> {
  const path = wholePool.test(asked.trim()) ? `${asked.trim()}[1-${selectedSidsMax}]` : asked;
  const parsed = parsePath(path);
  if (parsed === undefined) return refuse('invalid_path', `“${path.slice(0, 200)}” is not a path.`);
  const no = rejected[parsed.family];
  if (no) return no;
  const resolved = await services.read(path);
  if (resolved === undefined) return refuse('not_found', `Nothing is at ${path}.`);
  if (parsed.family === 'so') return { ret: resolved.data ?? null, err: null };
  return { ret: await toArtifact(resolved, services), err: null };
}

async function toArtifact(
  resolved: ResolvedPath,
  services: Pick<TurnServices, 'bytes'>,
): Promise<Json> {
  const { path, mime } = resolved;
  const whole = await wholeText(resolved, services);
  const text = whole.kind === 'text' ? cutText(whole.text, fetchedCharsMax) : '';
  const payload = path.startsWith('tc:') ? payloadOf(resolved, text) : undefined;
  return { path, mime, text, ...(payload === undefined ? {} : { payload }) };
}

/** The value of a call: its input or its return value. */
function payloadOf({ data, blob, path }: ResolvedPath, text: string): Json | undefined {
  if (blob) return parseWhole(text);
  if (!isJsonObject(data)) return undefined;
  return path.endsWith('.call') ? data['input'] : (data['ret'] ?? data['error']);
}

function parseWhole(text: string): Json | undefined {
  // A longer text was cut, so it cannot be parsed.
  if (text.length >= fetchedCharsMax) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuse(code: string, message: string): FetchResult {
  return { ret: null, err: { code, message, details: null } };
}
