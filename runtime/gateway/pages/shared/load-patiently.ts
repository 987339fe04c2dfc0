/** How long a failed load waits before it is tried again. */
const againMs = 3_000;

/** Does not reject: what needs this part of the page appears when the server is reached again. */
export async function loadPatiently<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }
}
