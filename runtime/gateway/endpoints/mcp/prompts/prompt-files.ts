import type { ContentBlock } from '@modelcontextprotocol/server';
import { isRefusal } from '../../../../base/refusal.ts';
import type { SkillEntry } from '../../../../sdk/contract/agent-settings.ts';
import type { McpCaller } from '../messages/caller.ts';
import { embeddedFilesMax } from '../messages/limits.ts';
import { decodePath, encodePath } from '../messages/uris.ts';
import { embeddedBytesMax, toContent } from '../resources/contents.ts';
import { type FoundResource, findResource } from '../resources/find-resource.ts';

/** Paths of pages, skills and files, and files of the skill as its text names them. */
const named = /(?<![\w/:])(?:(?:ks|sk|fi):|(?:references|scripts|assets)\/)[^\s"'`()<>[\]{}]+/g;
/** What ends a sentence is not part of a path. It matches whole runs only, in linear time. */
const sentenceEnd = /(?<![.,;:!?*])[.,;:!?*]+$/;

/** What the text of a prompt names, as its client can read it: small texts, images and sounds as content, others as links. */
export async function filesNamedIn(
  text: string,
  caller: McpCaller,
  skill: SkillEntry,
): Promise<readonly ContentBlock[]> {
  const uris = new Set<string>();
  for (const [path] of text.matchAll(named)) {
    if (uris.size === embeddedFilesMax) break;
    uris.add(toUri(path, skill));
  }
  const found = await Promise.all([...uris].map((uri) => findReadable(caller, uri)));
  return Promise.all(found.filter((one) => one !== undefined).map(contentOf));
}

/** Undefined also: it cannot be read, for example because it is too large. Its name stays in the text. */
async function findReadable(caller: McpCaller, uri: string): Promise<FoundResource | undefined> {
  try {
    return await findResource(caller, uri);
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function toUri(name: string, { id }: SkillEntry): string {
  const path = name.replace(sentenceEnd, '');
  const whole = /^(ks|sk|fi):/.test(path) ? path : `sk:${id}/${path}`;
  return encodePath(decodePath(whole) ?? whole);
}

async function contentOf(file: FoundResource): Promise<ContentBlock> {
  const { uri, mime, name, size } = file;
  const bytesMax = embeddedBytesMax(mime);
  if (size > bytesMax) return { type: 'resource_link', uri, name, mimeType: mime, size };
  return toContent({ uri, mime }, await file.read(bytesMax));
}
