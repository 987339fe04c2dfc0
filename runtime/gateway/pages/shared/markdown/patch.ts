/// <reference lib="dom" />

/**
 * Changes the children of `parent`, starting at `from`, into `wanted` with as few changes as possible, so that selections are
 * kept.
 */
export function patch(parent: Node, wanted: readonly Node[], from = 0): void {
  wanted.forEach((node, at) => {
    const old = parent.childNodes[from + at];
    if (!old) parent.appendChild(node);
    else if (!patchNode(old, node)) parent.replaceChild(node, old);
  });
  while (parent.childNodes.length > from + wanted.length) parent.lastChild?.remove();
}

/** Returns false if the nodes are too different, so that the old one must be replaced. */
function patchNode(old: Node, wanted: Node): boolean {
  if (old instanceof Text && wanted instanceof Text) {
    growText(old, wanted.data);
    return true;
  }
  if (!(old instanceof Element && wanted instanceof Element)) return false;
  if (old.nodeName !== wanted.nodeName || !hasAttributesOf(old, wanted)) return false;
  patch(old, [...wanted.childNodes]);
  return true;
}

function hasAttributesOf(old: Element, wanted: Element): boolean {
  const { attributes } = wanted;
  return (
    old.attributes.length === attributes.length &&
    [...attributes].every(({ name, value }) => old.getAttribute(name) === value)
  );
}

/** Appends to text that only grew, which keeps selections. */
export function growText(node: Text, text: string): void {
  if (text.startsWith(node.data)) node.appendData(text.slice(node.data.length));
  else node.data = text;
}

/** Sets the text of an element that has no other content. */
export function setText(element: Element, text: string): void {
  const { firstChild } = element;
  if (firstChild instanceof Text && !firstChild.nextSibling) growText(firstChild, text);
  else element.textContent = text;
}
