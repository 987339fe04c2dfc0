import { isAbsolute, join, normalize, sep } from 'node:path';
import { isFault } from '../../../base/fault.ts';
import { isRefusal, Refusal } from '../../../base/refusal.ts';
import type { KnowledgeSpace } from '../../../tools/ports/knowledge.ts';
import { failureCharsMax } from '../../contract/limits.ts';
import { isDefinition } from '../../define/definition.ts';
import type { KnowledgeDefinition } from '../../define/knowledge.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import type { Supervisor } from '../lifecycle/supervisor.ts';
import type { Problems } from '../validate/problems.ts';
import { brokenLinks } from './knowledge-links.ts';
import { openPages } from './knowledge-search.ts';

type Opening = {
  readonly supervisor: Supervisor;
  readonly problems: Problems;
  notice(text: string): void;
};

/** Opens the bundle's knowledge. Undefined if it has none, or if it cannot be served, which is reported. */
export async function openKnowledge(
  loaded: LoadedBundle,
  { supervisor, problems, notice }: Opening,
): Promise<KnowledgeSpace | undefined> {
  const { knowledge } = loaded.definition;
  if (knowledge === undefined) return undefined;
  if (!isDefinition('knowledge', knowledge)) {
    problems.add('its knowledge was not made by defineKnowledge');
    return undefined;
  }
  if ('search' in knowledge) {
    const space = supervisor.knowledge(guarded(knowledge, loaded));
    if (!space)
      notice('its knowledge is not served: knowledge functions cannot run in this worker');
    return space;
  }
  const { host } = loaded;
  if (knowledge.repo === '') {
    const { ref, commit, signers } = knowledge;
    if ((ref ?? commit ?? signers) !== undefined)
      problems.add('ref, commit and signers of its knowledge require a repository in repo');
    return openFolders(knowledge, { dir: loaded.dir, problems, notice });
  }
  const dir = await downloaded(knowledge, { host, dir: loaded.dir, problems, notice });
  return dir === undefined ? undefined : openFolders(knowledge, { dir, problems, notice });
}

type Folders = Extract<KnowledgeDefinition, { repo: string }>;

async function openFolders(
  { repo, roots, validateRefs = false }: Folders,
  { dir, problems, notice }: { dir: string } & Omit<Opening, 'supervisor'>,
): Promise<KnowledgeSpace | undefined> {
  const outside = Object.entries(roots).filter(([, path]) => leadsOut(path));
  for (const [name, path] of outside) {
    problems.add(
      `root “${name}” of its knowledge, ${path}, is not within ${repo === '' ? "the bundle's folder" : repo}`,
    );
  }
  if (outside.length > 0) return undefined;
  const folders = new Map(Object.entries(roots).map(([name, path]) => [name, join(dir, path)]));
  try {
    const pages = await openPages(folders, notice);
    if (validateRefs) for (const text of brokenLinks(pages.all)) notice(text);
    return pages;
  } catch (error) {
    notice(`its knowledge is not served: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

const address = /^(?:https:\/\/|ssh:\/\/|file:\/\/|[\w.-]+@[\w.-]+:)\S+$/;
const refShape = /^(?!-)(?!.*\.\.)[\w./-]{1,200}$/;

/** The folder of a remote repository. Undefined if there is none to serve, which is reported. */
async function downloaded(
  { repo: url, ref, commit, signers: keys }: Folders,
  { host, dir, problems, notice }: Pick<LoadedBundle, 'host' | 'dir'> & Omit<Opening, 'supervisor'>,
): Promise<string | undefined> {
  if (!address.test(url)) {
    problems.add(`repo of its knowledge, “${url}”, is not the address of a git repository`);
    return undefined;
  }
  if (ref !== undefined && !refShape.test(ref)) {
    problems.add(`ref of its knowledge, “${ref}”, is not a tag, a branch or a commit`);
    return undefined;
  }
  if (keys !== undefined && (ref === undefined || leadsOut(keys))) {
    problems.add(
      'signers of its knowledge is a file of the bundle, and requires ref, a signed tag',
    );
    return undefined;
  }
  if (!host.repository) {
    notice(`its knowledge of ${url} is not served: nothing is downloaded here`);
    return undefined;
  }
  try {
    const signers = keys === undefined ? undefined : join(dir, keys);
    return await host.repository({ url, ref, commit, signers });
  } catch (error) {
    if (!isFault(error)) throw error;
    notice(`its knowledge is not served: ${error.message}`);
    return undefined;
  }
}

/** Whether a path leaves the folder it is relative to. */
function leadsOut(path: string): boolean {
  return isAbsolute(path) || normalize(path).split(sep)[0] === '..';
}

/** Wraps an author's functions: an error they throw becomes a refusal that the model can read. */
function guarded(
  given: Extract<KnowledgeDefinition, { search: unknown }>,
  { mask, definition, host }: LoadedBundle,
): KnowledgeSpace {
  const log = host.log.with({ bundle: definition.id });
  const guard = async <T>(asked: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    try {
      return await asked();
    } catch (error) {
      signal.throwIfAborted();
      if (isRefusal(error)) throw error;
      log.error('knowledge failed', { error });
      const said = error instanceof Error ? error.message : String(error);
      throw new Refusal('knowledge_failed', mask.text(said).slice(0, failureCharsMax));
    }
  };
  return {
    search: (query, options) => guard(async () => given.search(query, options), options.signal),
    read: (name, options) => guard(async () => given.read(name, options), options.signal),
  };
}
