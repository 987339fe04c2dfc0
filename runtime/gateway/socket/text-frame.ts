/** First byte: the last frame of a message of text. */
const finalText = 0x81;
const shortMax = 125;
const bytes16 = 126;
const bytes64 = 127;

/** A message of text as one WebSocket frame of a server (RFC 6455, 5.2): unmasked, uncompressed, in one buffer. */
export function toTextFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const lengthBytes = length <= shortMax ? 0 : length <= 0xffff ? 2 : 8;
  const head = 2 + lengthBytes;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = finalText;
  frame[1] = lengthBytes === 0 ? length : lengthBytes === 2 ? bytes16 : bytes64;
  if (lengthBytes === 2) frame.writeUInt16BE(length, 2);
  if (lengthBytes === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.write(text, head);
  return frame;
}
