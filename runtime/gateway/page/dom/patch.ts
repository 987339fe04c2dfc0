/// <reference lib="dom" />

/**
 * Makes the children of `parent` from `from` on look like `wanted` with as few changes as possible, so that what a
 * person has selected there stays selected.
 */
export function patch(parent: Node, wanted: readonly Node[], from = 0): void {
  wanted.forEach((node, at) => {
    const old = parent.childNodes[from + at];
    if (!old) parent.appendChild(node);
    else if (!patchNode(old, node)) parent.replaceChild(node, old);
  });
  while (parent.childNodes.length > from + wanted.length) parent.lastChild?.remove();
}

/** False: they are too different, and one has to stand for the other. */
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

/** Text that only grew is appended to, which moves no selection. */
export function growText(node: Text, text: string): void {
  if (text.startsWith(node.data)) node.appendData(text.slice(node.data.length));
  else node.data = text;
}

/** The text of an element that holds nothing else. */
export function setText(element: Element, text: string): void {
  const { firstChild } = element;
  if (firstChild instanceof Text && !firstChild.nextSibling) growText(firstChild, text);
  else element.textContent = text;
}
