/** The address of a file of a conversation, on this server. */
export function fileUrl(conversation: string, path: string): string {
  return `/api/files?${new URLSearchParams({ path, conversation }).toString()}`;
}
