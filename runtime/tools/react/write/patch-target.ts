import { isRefusal, Refusal } from '../../../base/refusal.ts';
import { paths } from '../../../timeline/paths.ts';
import { shortNames } from '../../../timeline/short-names.ts';
import { filesOf, localPath } from '../../files/workspace.ts';
import type { CallContext } from '../../ports/tool.ts';
import { wholeText } from '../../refs/resolved-text.ts';
import { type ArtifactPath, artifactPath } from './artifact-path.ts';

const foreign = 'patch_requires_current_turn_path';

/** The file of this turn that a patch changes. The refusal of a file of another turn says how to bring it here. */
export function patchTarget(path: string, context: CallContext): ArtifactPath {
  try {
    return artifactPath(path, context, { foreign, namespace: 'patch_unsupported_namespace' });
  } catch (error) {
    const named = path.trim().replace(/^conv:/, '');
    const local = localPath(named);
    if (!isRefusal(error) || error.code !== foreign || local === undefined) throw error;
    const how = hasFile(local, context)
      ? `This turn has its own ${local}: patch that.`
      : checkoutFirst(shortNames(context.view).inText(named), local);
    throw new Refusal(foreign, `“${path}” is not a file of this turn. ${how}`);
  }
}

export async function targetText(
  filepath: string,
  context: CallContext,
): Promise<{ text: string; bom: boolean }> {
  const { turn, services } = context;
  const resolved = await services.read(paths.file(turn, filepath));
  if (resolved === undefined) {
    const source = elsewhere(filepath, context);
    const how = source ? checkoutFirst(source, filepath) : 'react.write makes a new one.';
    throw new Refusal('patch_target_missing', `This turn has no ${filepath}. ${how}`);
  }
  const read = await wholeText(resolved, services);
  if (read.kind === 'text') return read;
  const why = read.kind === 'binary' ? 'not text' : 'too large to patch';
  throw new Refusal('patch_not_text', `${filepath} is ${why}.`);
}

function hasFile(filepath: string, { view, turn }: CallContext): boolean {
  const own = view.turns.find(({ id }) => id === turn);
  return own !== undefined && filesOf(own).some(({ local }) => local === filepath);
}

/** The newest file of another turn with this path in it. */
function elsewhere(filepath: string, { view, turn }: CallContext): string | undefined {
  const others = view.turns.filter(({ id }) => id !== turn).toReversed();
  const found = others.flatMap((each) => filesOf(each)).find(({ local }) => local === filepath);
  return found && shortNames(view).path(found.path);
}

function checkoutFirst(source: string, filepath: string): string {
  return `Call react.checkout {"paths":["${source}"]} first, then patch ${filepath}.`;
}
