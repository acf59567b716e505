import { splitLines } from './split-lines.js';

async function* piecesOf(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

async function read(lines: AsyncGenerator<Uint8Array>): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines) found.push(Buffer.from(line).toString());
  return found;
}

describe('the lines of a stream', () => {
  it('end where they end, in whatever pieces they come; what has no end is dropped', async () => {
    expect(await read(splitLines(piecesOf('a', 'b\nc\n\nd', 'e\nno end'), 100))).toEqual(['ab', 'c', 'de']);
    await expect(read(splitLines(piecesOf('x'.repeat(11)), 10))).rejects.toMatchObject({ kind: 'tooLarge' });
  });

  it('are cut where people read them, and the last one needs no end', async () => {
    const endless = Array.from({ length: 5 }, () => 'x'.repeat(7));
    const lines = await read(splitLines(piecesOf(...endless, '\nlast'), 10, true));
    expect(lines.at(-1)).toBe('last');
    expect(lines.every((line) => line.length <= 10)).toBe(true);
    expect(lines.slice(0, -1).join('')).toBe('x'.repeat(35));
  });
});
