/** Magic numbers of files that are often sent instead of text. */
const MAGIC: readonly (readonly [prefix: string, words: string])[] = [
  ['\x89PNG', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['RIFF', 'an image or a sound'],
  ['%PDF-', 'a PDF document'],
  ['\x7fELF', 'a program'],
  ['\0asm', 'a WebAssembly module'],
  ['7z\xbc\xaf', 'a 7z archive'],
  ['Rar!', 'a RAR archive'],
  ['\xfd7zXZ', 'an xz archive'],
  ['BZh', 'a bzip2 archive'],
  ['\x28\xb5\x2f\xfd', 'a zstd archive'],
];
const MARKUP = /^\s*<(?:(!doctype\s+html|html|head|body)|(svg)|(\?xml|!--|[a-z][\w:-]*[\s/>]))/i;
const MAX_START = 512;

/** The detected type of content that is neither YAML nor JSON, with a remedy; undefined when the bytes may be either. */
export function describeForeignContent(bytes: Uint8Array): { detail: string; remedy: string } | undefined {
  const start = Buffer.from(bytes.subarray(0, MAX_START)).toString('latin1');
  const [, words] = MAGIC.find(([prefix]) => start.startsWith(prefix)) ?? [];
  if (words?.endsWith('archive')) return { detail: `is ${words}`, remedy: 'Pack the files as .tgz, .tar or .zip.' };
  if (words) return { detail: `is ${words}, not YAML or JSON`, remedy: 'Send the YAML or JSON file itself.' };
  const [markup, page, picture] = MARKUP.exec(start.replace(/^\xef\xbb\xbf/, '')) ?? [];
  if (markup === undefined) return undefined;
  if (page === undefined)
    return {
      detail: `is ${picture ? 'an SVG image' : 'XML'}, not YAML or JSON`,
      remedy: 'Send the YAML or JSON file itself.',
    };
  return {
    detail: 'is an HTML page, not YAML or JSON',
    remedy: 'Send the file itself; of a page that shows a file, the address of its raw content.',
  };
}
