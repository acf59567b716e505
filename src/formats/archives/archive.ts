import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { ArchiveContents, type UnpackedTotals } from './archive-contents.js';
import { DEFAULT_FORMAT_LIMITS, type FormatLimits } from '../sources/format-limits.js';
import { type SourceFile } from '../sources/source-file.js';
import { NotATar, unpackTar } from './tar-archive.js';
import { unpackZip } from './zip-archive.js';
import { withArticle } from '../../core/errors/wording.js';

export type ArchiveKind = 'tar' | 'tar.gz' | 'zip';

/** The archive type of an upload by its first bytes; undefined when it is no archive. A tar has its magic number at byte 257. */
export function detectArchiveKind(bytes: Uint8Array): ArchiveKind | undefined {
  const starts = (...magic: number[]) => magic.every((byte, index) => bytes[index] === byte);
  if (starts(0x1f, 0x8b)) return 'tar.gz';
  if (starts(0x50, 0x4b, 0x03, 0x04) || starts(0x50, 0x4b, 0x05, 0x06)) return 'zip';
  return Buffer.from(bytes.subarray(257, 262)).toString('latin1') === 'ustar' ? 'tar' : undefined;
}

/** Whether a name has the suffix of an archive, so that other content is an error and not a text. */
export function archiveKindFromName(path: string): 'tar' | 'zip' | undefined {
  const match = /\.(tar|tar\.gz|tgz|zip)$/i.exec(path);
  return match ? (match[1]?.toLowerCase() === 'zip' ? 'zip' : 'tar') : undefined;
}

/**
 * Unpacks a tar, a compressed tar or a zip into memory: files by path with `/`, in the order of the archive; directories are left out, links inside are followed.
 * Counts while it unpacks and stops at the first limit. Throws InvalidRequest for names or links that lead out, devices, names given twice,
 * a name with the suffix of another kind of archive, and damaged data. `unpacked` continues the counts of another archive.
 */
export async function unpackArchive(
  file: SourceFile,
  limits: FormatLimits = DEFAULT_FORMAT_LIMITS,
  unpacked?: UnpackedTotals,
): Promise<ReadonlyMap<string, SourceFile>> {
  const kind = detectArchiveKind(file.bytes);
  const named = archiveKindFromName(file.path);
  if (!kind) throw archiveError(file, { detail: 'is not a tar, a compressed tar or a zip' });
  if (named && (named === 'zip') !== (kind === 'zip')) {
    throw archiveError(file, {
      detail: `is named as ${withArticle(named)} but is ${withArticle(kind)}`,
      remedy: 'Give the file the right name.',
    });
  }
  const contents = new ArchiveContents(file.path, limits, unpacked);
  try {
    await (kind === 'zip' ? unpackZip(file.bytes, contents) : unpackTar(file.bytes, kind === 'tar.gz', contents));
  } catch (error) {
    if (error instanceof InvalidRequest) throw error;
    if (error instanceof NotATar)
      throw archiveError(file, {
        detail: 'is compressed with gzip, but its content is not a tar archive',
        remedy: 'Unpack it, and send the file itself; several files are packed as .tgz, .tar or .zip.',
      });
    const reason = error instanceof Error ? error.message : String(error);
    throw archiveError(file, { detail: `cannot be unpacked: ${reason}`, remedy: 'Pack and upload it again.' }, error);
  }
  return contents.finish();
}

function archiveError(file: SourceFile, fault: Fault, cause?: unknown): InvalidRequest {
  return new InvalidRequest(`${file.path} ${fault.detail}`, {
    errors: [{ file: file.path, ...fault }],
    remedy: fault.remedy,
    cause,
  });
}
