import { InvalidRequest } from '../../core/errors/app-error.js';
import { detectArchiveKind, archiveKindFromName, unpackArchive } from '../../formats/archives/archive.js';
import { type UnpackedTotals } from '../../formats/archives/archive-contents.js';
import { type FormatLimits } from '../../formats/sources/format-limits.js';
import { findOciLayout, readOciLayout } from '../../formats/archives/oci-layout.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { type DefinitionFault } from '../../formats/definitions/definitions.js';

const DEFINITION_FILE = /\.(?:json|ya?ml)$/i;
/** Files left by other programs: `._model.json` of macOS is not a definition, despite its name. */
const HIDDEN_FILE = /(?:^|\/)(?:\.|__MACOSX\/)/;

export interface PackageFiles {
  /** Files that may contain definitions, in the order of their paths. */
  files: SourceFile[];
  faults: DefinitionFault[];
}

/**
 * The files of a package: an archive, an OCI image layout, an archive of archives, or a single file.
 * Throws InvalidRequest when the package itself is damaged, hostile or larger than the limits; a damaged archive in it is a fault.
 */
export async function readPackageFiles(file: SourceFile, limits: FormatLimits): Promise<PackageFiles> {
  if (!detectArchiveKind(file.bytes) && !archiveKindFromName(file.path)) return { files: [file], faults: [] };
  const unpacked: UnpackedTotals = { entries: 0, bytes: 0 };
  const outer = await unpackPackage(file, limits, unpacked);
  const files = outer.filter(mayHoldDefinitions);
  const faults: DefinitionFault[] = [];
  for (const member of outer.filter(isPackage)) {
    try {
      for (const { path, bytes } of (await unpackPackage(member, limits, unpacked)).filter(mayHoldDefinitions)) {
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

async function unpackPackage(
  archive: SourceFile,
  limits: FormatLimits,
  unpacked: UnpackedTotals,
): Promise<SourceFile[]> {
  const files = await unpackArchive(archive, limits, unpacked);
  const layout = findOciLayout(files);
  return layout === undefined ? [...files.values()] : readOciLayout(files, layout, limits, unpacked);
}

function mayHoldDefinitions({ path }: SourceFile): boolean {
  return DEFINITION_FILE.test(path) && !HIDDEN_FILE.test(path);
}

function isPackage({ path }: SourceFile): boolean {
  return archiveKindFromName(path) !== undefined && !HIDDEN_FILE.test(path);
}
