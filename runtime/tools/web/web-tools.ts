import type { Tool } from '../ports/tool.ts';
import type { WebPages, WebSearch } from '../ports/web.ts';
import { createFetchTool } from './fetch-tool.ts';
import { createSearchTool } from './search-tool.ts';

export type Web = { readonly pages: WebPages; readonly search?: WebSearch | undefined };

/** `web_tools.*`, for agents that list them. */
export function createWebTools({ pages, search }: Web): readonly Tool[] {
  return [createSearchTool(search), createFetchTool(pages)];
}
