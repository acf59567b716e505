const MAX_SEGMENT_LENGTH = 100;

/** Gives each file of an archive a name of its own, also on disks for which `Pod` and `pod` are one. */
export class FileNames {
  private readonly taken = new Set<string>();

  /** The first free one of the names made with no suffix, with each of these suffixes, and with numbers. */
  claim(nameWith: (suffix: string) => string, ...suffixes: string[]): string {
    for (let number = 2, candidates = ['', ...suffixes]; ; number += 1, candidates = [`-${number}`]) {
      for (const suffix of candidates) {
        const name = nameWith(suffix);
        const key = name.normalize('NFC').toLowerCase();
        if (this.taken.has(key)) continue;
        this.taken.add(key);
        return name;
      }
    }
  }
}

/** Text as a part of a path, on any system; hidden files are not made. */
export function toPathSegment(text: string): string {
  const plain = text.replace(/[^\p{L}\p{N}._ -]/gu, '-').replace(/^[._ ]+|[. ]+$/g, '');
  return Array.from(plain).slice(0, MAX_SEGMENT_LENGTH).join('') || 'unnamed';
}
