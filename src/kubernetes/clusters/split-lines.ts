import { ClusterError } from './cluster-error.js';

type Bytes = Uint8Array<ArrayBuffer>;

const LINE_END = 10;

/** Splits chunks of text into lines; drops an unterminated last line. */
export async function* splitLines(pieces: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Bytes> {
  let [begun, size]: [Buffer[], number] = [[], 0];
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(LINE_END); end >= 0; end = piece.indexOf(LINE_END, from)) {
      const line = Buffer.concat([...begun, piece.subarray(from, end)]);
      [begun, size, from] = [[], 0, end + 1];
      if (line.length > 0) yield new Uint8Array(line);
    }
    if (from < piece.length) begun.push(piece.subarray(from));
    size += piece.length - from;
    if (size > maxBytes)
      throw new ClusterError('tooLarge', `The cluster's answer has a line of more than ${maxBytes} bytes`);
  }
}
