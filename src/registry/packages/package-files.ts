import { InvalidRequest } from '../../core/errors/app-error.js';
import { archiveKind, namedArchive, unpack } from '../../formats/archive.js';
import { type Unpacked } from '../../formats/archive-contents.js';
import { type FormatLimits } from '../../formats/limits.js';
import { ociLayoutIn, readOciLayout } from '../../formats/oci-layout.js';
import { type SourceFile } from '../../formats/source-file.js';
import { type DefinitionFault } from '../definition.js';

const DEFINITION = /\.(?:json|ya?ml)$/i;
/** What other programs leave behind: `._model.json` of macOS is no definition, whatever its name says. */
const LEFT_BEHIND = /(?:^|\/)(?:\.|__MACOSX\/)/;

export interface PackageFiles {
  /** Files that may hold definitions, in the order of their paths. */
  files: SourceFile[];
  faults: DefinitionFault[];
}

/**
 * The files of a package: an archive, an OCI image layout, an archive of archives, or one file that is no archive.
 * Throws InvalidRequest when the package itself is damaged, hostile or larger than the limits; an archive in it that is damaged is a fault.
 */
export async function filesOf(file: SourceFile, limits: FormatLimits): Promise<PackageFiles> {
  if (!archiveKind(file.bytes) && !namedArchive(file.path)) return { files: [file], faults: [] };
  const unpacked: Unpacked = { entries: 0, bytes: 0 };
  const outer = await open(file, limits, unpacked);
  const files = outer.filter(mayDefine);
  const faults: DefinitionFault[] = [];
  for (const member of outer.filter(isPackage)) {
    try {
      for (const { path, bytes } of (await open(member, limits, unpacked)).filter(mayDefine)) {
        files.push({ path: `${member.path}/${path}`, bytes });
      }
    } catch (error) {
      const spent = unpacked.bytes > limits.archiveBytes || unpacked.entries > limits.archiveEntries;
      if (!(error instanceof InvalidRequest) || spent) throw error;
      for (const fault of error.errors) faults.push({ ...fault, entity: 'file', path: member.path });
    }
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)), faults };
}

async function open(archive: SourceFile, limits: FormatLimits, unpacked: Unpacked): Promise<SourceFile[]> {
  const files = await unpack(archive, limits, unpacked);
  const layout = ociLayoutIn(files);
  return layout === undefined ? [...files.values()] : readOciLayout(files, layout, limits, unpacked);
}

function mayDefine({ path }: SourceFile): boolean {
  return DEFINITION.test(path) && !LEFT_BEHIND.test(path);
}

function isPackage({ path }: SourceFile): boolean {
  return namedArchive(path) !== undefined && !LEFT_BEHIND.test(path);
}
