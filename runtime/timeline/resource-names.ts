/** Whose file it is. */
export type ResourceOwner = {
  readonly tenant: string;
  readonly project: string;
  readonly user: string;
};
/** A file by its global name. `path` names the conversation: `fi:<conversation>.<turn>.…`. */
export type Resource = ResourceOwner & { readonly path: string };

/** The stage in names that are written here. Any other is accepted. */
const stage = 'main';

const form = /^ef:([^:]*):([^:]*):chatbot:([^:]*):([^:]*):([^:]*):([^:]*):(user|assistant):(.+)$/s;
const filePath = /^fi:([^.:/\s]+)\.((?:[a-z]+_)?turn_[\w-]+)\.(.+)$/s;
const sent = 'user.attachments/';
const external = /^external\.([\w.-]+)\.attachments\/(.+)$/s;

/**
 * The name of a file that holds for every installation:
 * `ef:{tenant}:{project}:chatbot:{stage}:{user}:{conversation}:{turn}:{role}:{path}`. The role is `user` for files that the
 * user sent, and `assistant` for those that the agent made. Undefined for a path that is not such a file.
 */
export function toResourceName(
  { tenant, project, user }: ResourceOwner,
  path: string,
): string | undefined {
  const [, conversation, turn, rest] = filePath.exec(path) ?? [];
  if (conversation === undefined || turn === undefined || rest === undefined) return undefined;
  const [, kind, file] = external.exec(rest) ?? [];
  const own = rest.startsWith(sent) ? rest.slice(sent.length) : undefined;
  const name = kind === undefined ? own : `external/${kind}/attachments/${file}`;
  const role = name === undefined ? 'assistant' : 'user';
  const owner = [tenant, project, 'chatbot', stage, user, conversation, turn].map(encode);
  return `ef:${owner.join(':')}:${role}:${name ?? rest}`;
}

/** The resource name of a stored path, which names no conversation. */
export function resourceOf(
  path: string | undefined,
  conversation: string,
  owner: ResourceOwner | undefined,
): string | undefined {
  const file = path?.startsWith('fi:') ? path.slice('fi:'.length) : undefined;
  return owner && file !== undefined
    ? toResourceName(owner, `fi:${conversation}.${file}`)
    : undefined;
}

/** Undefined: not a resource name. Whether the file exists, and who may read it, is for the reader to check. */
export function parseResourceName(text: string): Resource | undefined {
  const [, tenant = '', project = '', , user = '', conversation = '', turn = '', role, path] =
    form.exec(text.trim()) ?? [];
  if (role === undefined || path === undefined) return undefined;
  const [owner, where] = [[tenant, project, user].map(decode), [conversation, turn].map(decode)];
  if (owner.includes(undefined) || where.includes(undefined)) return undefined;
  const [ofTenant = '', ofProject = '', ofUser = ''] = owner;
  const rest = role === 'assistant' ? path : userPath(path);
  return {
    ...{ tenant: ofTenant, project: ofProject, user: ofUser },
    path: `fi:${where.join('.')}.${rest}`,
  };
}

function userPath(path: string): string {
  const [, kind, file] = /^external\/([\w.-]+)\/attachments\/(.+)$/s.exec(path) ?? [];
  return kind === undefined ? `${sent}${path}` : `external.${kind}.attachments/${file}`;
}

/** Only what would end a part early is encoded. */
function encode(part: string): string {
  return part.replace(/[%:\s]/g, (letter) => encodeURIComponent(letter));
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
