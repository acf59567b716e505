/** Files by path in one buffer, which goes to another thread as a whole however many they are. */
export interface PackedFiles {
  paths: string[];
  /** Where the bytes of each end. */
  ends: number[];
  bytes: Uint8Array<ArrayBuffer>;
}

export function packFiles(files: ReadonlyMap<string, Uint8Array>): PackedFiles {
  const ends: number[] = [];
  let size = 0;
  for (const { length } of files.values()) ends.push((size += length));
  const bytes = new Uint8Array(size);
  for (const [index, file] of [...files.values()].entries()) bytes.set(file, (ends[index] ?? 0) - file.length);
  return { paths: [...files.keys()], ends, bytes };
}

export function unpackFiles({ paths, ends, bytes }: PackedFiles): Map<string, Uint8Array> {
  return new Map(paths.map((path, index) => [path, bytes.subarray(ends[index - 1] ?? 0, ends[index])]));
}
