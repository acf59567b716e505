import { InvalidRequest } from '../../core/errors/app-error.js';
import { FaultList } from '../../formats/sources/fault-list.js';
import { DEFAULT_FORMAT_LIMITS, type FormatLimits } from '../../formats/sources/format-limits.js';
import type { LocatedDocument } from '../../formats/documents/located-document.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { type DefinitionFault } from '../../formats/definitions/definitions.js';
import { readLocatedDocuments, readFileDefinitions } from './definition-documents.js';
import { PackageAssembler, type DefinitionLocationFault } from './package-assembler.js';
import { compareByCodeUnits, type PackageContent } from './package-content.js';
import { readPackageFiles } from './package-files.js';

/** The maximum number of bytes that are read a second time to locate faults. */
const MAX_LOCATED_BYTES = 10 * 1024 * 1024;

/**
 * Reads a package of definitions: .tar.gz, .tar, .zip or an OCI image layout, archives of such one level deep, or one YAML or JSON file of definitions.
 * An error in one definition is a fault in the result, next to the other definitions. Throws InvalidRequest when the package cannot be unpacked or contains no definition.
 * Runs on the calling thread; use PackageLoader outside of workers and tests.
 */
export async function readPackage(
  file: SourceFile,
  limits: FormatLimits = DEFAULT_FORMAT_LIMITS,
): Promise<PackageContent> {
  const { files, faults } = await readPackageFiles(file, limits);
  const assembly = new PackageAssembler(limits);
  const unread = new Set(faults.map(({ path }) => path));
  let recognised = 0;
  for (const each of files) {
    const read = readFileDefinitions(each, limits);
    for (const found of read.found) assembly.add(found);
    recognised += read.found.length;
    faults.push(...read.faults);
    for (const { path } of read.faults) unread.add(path);
  }
  if (recognised === 0 && faults.every(({ entity }) => entity === 'file'))
    throw emptyPackageError(file, faults, limits);
  const models = assembly.finish();
  return {
    models,
    connections: assembly.connections.sort((a, b) => compareByCodeUnits(a.kind, b.kind)),
    faults: [...faults, ...locateFaults(assembly.faults, files, limits)],
    failed: unread.size + assembly.failed,
  };
}

function emptyPackageError(file: SourceFile, faults: DefinitionFault[], limits: FormatLimits): InvalidRequest {
  const remedy = 'Send model, component, relationship or connection definitions, each with its schemaVersion.';
  const detail = 'holds no definition';
  if (faults.length === 0) {
    return new InvalidRequest(`${file.path} ${detail}`, { errors: [{ file: file.path, detail, remedy }], remedy });
  }
  const list = new FaultList(limits.faults);
  list.add(...faults.map(({ entity: _entity, path, ...fault }) => ({ file: path, ...fault })));
  return new InvalidRequest(`${file.path} ${detail} that can be read`, {
    errors: list.faults,
    remedy: faults[0]?.remedy,
  });
}

/** Faults with their line and column. Only the first are located, because that requires reading their file again. */
function locateFaults(placed: DefinitionLocationFault[], files: SourceFile[], limits: FormatLimits): DefinitionFault[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const open = new Map<string, LocatedDocument[]>();
  let bytes = 0;
  return placed.map(({ place, fault }, index) => {
    const { entity, path, document } = place;
    const file = byPath.get(path);
    if (file && !open.has(path)) {
      const worth = index < limits.faults && bytes + file.bytes.length <= MAX_LOCATED_BYTES;
      bytes += worth ? file.bytes.length : 0;
      open.set(path, worth ? readPositions(file, limits) : []);
    }
    const position = open
      .get(path)
      ?.find(({ number }) => number === document)
      ?.findPosition(fault.pointer ?? '');
    return { ...fault, file: path, ...position, entity, path };
  });
}

/** The reader with positions accepts less than the one without: it refuses duplicate keys. */
function readPositions(file: SourceFile, limits: FormatLimits): LocatedDocument[] {
  try {
    return readLocatedDocuments(file, limits);
  } catch (error) {
    if (error instanceof InvalidRequest) return [];
    throw error;
  }
}
