import { Decoder, Encoder } from 'socket.io-parser';
import { attachmentsMax } from '../../client/protocol/request-schemas.ts';
import { admissionMs, packetBytesMax } from '../input/limits.ts';

/** The parser's own limit of ten binary parts would close the connection; this one lets too many files be refused. */
class PartsDecoder extends Decoder {
  constructor() {
    super({ maxAttachments: attachmentsMax * 2 });
  }
}

export const packetOptions = {
  maxHttpBufferSize: packetBytesMax,
  connectTimeout: admissionMs,
  parser: { Encoder, Decoder: PartsDecoder },
};
