import { projectHeader } from '../../client/protocol/routes.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';

/** The project that a header or parameter names as `<tenant>/<project>`. A part that is missing is empty. */
export function namedProject({ headers, url }: Request): ProjectScope | undefined {
  const name = headers.get(projectHeader) ?? new URL(url).searchParams.get('project');
  if (name === null) return undefined;
  const [tenant = '', project = ''] = name.split('/').map(decoded);
  return { tenant, project };
}

/** Part of an address. What is not encoded correctly stays as it is. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
