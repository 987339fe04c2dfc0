export type Pixels = { readonly width: number; readonly height: number };

type Measure = (bytes: DataView) => Pixels | undefined;

/** Width and height from the header of an image; undefined if the bytes are not an image of this type. */
export function pixelsOf(bytes: Uint8Array, mime: string): Pixels | undefined {
  const measure = Object.hasOwn(measures, mime) ? measures[mime] : undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pixels = bytes.length < 30 ? undefined : measure?.(view);
  return pixels && pixels.width > 0 && pixels.height > 0 ? pixels : undefined;
}

const measures: Readonly<Record<string, Measure>> = {
  'image/png': (view) =>
    starts(view, '\x89PNG\r\n\x1a\n')
      ? { width: view.getUint32(16), height: view.getUint32(20) }
      : undefined,
  'image/gif': (view) =>
    starts(view, 'GIF8')
      ? { width: view.getUint16(6, true), height: view.getUint16(8, true) }
      : undefined,
  'image/webp': webp,
  'image/jpeg': jpeg,
};

function starts(view: DataView, text: string, at = 0): boolean {
  return [...text].every((char, index) => view.getUint8(at + index) === char.charCodeAt(0));
}

function webp(view: DataView): Pixels | undefined {
  if (!starts(view, 'RIFF') || !starts(view, 'WEBP', 8)) return undefined;
  if (starts(view, 'VP8X', 12))
    return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
  if (starts(view, 'VP8L', 12)) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!starts(view, 'VP8 ', 12)) return undefined;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

/** Skips segments until the start-of-frame segment. */
function jpeg(view: DataView): Pixels | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}
