import { createHash } from 'node:crypto';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { detectArchiveKind, unpackArchive } from './archive.js';
import { type UnpackedTotals } from './archive-contents.js';
import { parseDocuments } from '../documents/parse-documents.js';
import { type FormatLimits } from '../sources/format-limits.js';
import { isObject, type JsonObject, asObject, asText } from '../../core/json/json.js';
import { type SourceFile } from '../sources/source-file.js';

const LAYOUT_FILE = 'oci-layout';
const DIGEST = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;
const WHITEOUT_PREFIX = '.wh.';
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** How many times the entries of an archive can be overlaid in total. */
const MAX_LAYERING_FACTOR = 50;
const REBUILD_REMEDY = 'Write the layout again with the tool that made it.';

type Files = ReadonlyMap<string, SourceFile>;

/** The folder of an OCI image layout among the files of an archive, with its closing `/`; undefined when there is none. */
export function findOciLayout(files: Files): string | undefined {
  const marks = [...files.keys()].filter((path) => path === LAYOUT_FILE || path.endsWith(`/${LAYOUT_FILE}`));
  const roots = marks
    .map((path) => path.slice(0, -LAYOUT_FILE.length))
    .filter((root) => files.has(`${root}index.json`));
  return roots.sort((a, b) => a.length - b.length)[0];
}

/**
 * The files of all images of an OCI image layout (image-spec 1.1): every manifest of the index and of nested indexes, with its layers overlaid.
 * A layer that is no archive is one file, named by its annotation. Throws InvalidRequest for blobs that are missing or do not match their digest, and for layers compressed with zstd.
 */
export async function readOciLayout(
  files: Files,
  root: string,
  limits: FormatLimits,
  unpacked: UnpackedTotals,
): Promise<SourceFile[]> {
  const layout = new OciLayout(files, root, limits, unpacked);
  const found = new Map<string, SourceFile[]>();
  for (const manifest of layout.readManifests()) {
    for (const [path, file] of await layout.readImage(manifest)) {
      const same = found.get(path) ?? [];
      if (!same.some(({ bytes }) => Buffer.compare(bytes, file.bytes) === 0)) found.set(path, [...same, file]);
    }
  }
  return [...found.values()].flat();
}

class OciLayout {
  private readonly layers = new Map<string, Files>();
  /** The number of overlaid files, counted for each image. */
  private layeredEntries = 0;

  constructor(
    private readonly files: Files,
    private readonly root: string,
    private readonly limits: FormatLimits,
    private readonly unpacked: UnpackedTotals,
  ) {}

  readManifests(): JsonObject[] {
    const index = this.files.get(`${this.root}index.json`);
    const manifests: JsonObject[] = [];
    const seen = new Set<string>();
    const open = index ? [this.parseDocument(index)] : [];
    for (let next = open.pop(); next; next = open.pop()) {
      if (Array.isArray(next['layers'])) manifests.unshift(next);
      for (const descriptor of filterObjects(next['manifests'])) {
        const digest = asText(descriptor['digest']);
        if (!seen.has(digest)) open.push(this.parseDocument(this.findBlob(descriptor)));
        seen.add(digest);
      }
    }
    return manifests;
  }

  async readImage(manifest: JsonObject): Promise<Files> {
    const image = new Map<string, SourceFile>();
    for (const descriptor of filterObjects(manifest['layers'])) {
      const digest = asText(descriptor['digest']);
      const layer = this.layers.get(digest) ?? (await this.readLayer(descriptor));
      this.layers.set(digest, layer);
      this.layeredEntries += layer.size + image.size;
      if (this.layeredEntries > this.limits.archiveEntries * MAX_LAYERING_FACTOR) {
        throw layoutError(`${this.root}index.json`, 'has too many layers of too many files', 'Send fewer images.');
      }
      applyWhiteout(layer, image);
      for (const [path, file] of layer) if (!baseName(path).startsWith(WHITEOUT_PREFIX)) image.set(path, file);
    }
    return image;
  }

  private async readLayer(descriptor: JsonObject): Promise<Files> {
    const blob = this.findBlob(descriptor);
    if (detectArchiveKind(blob.bytes)) return unpackArchive(blob, this.limits, this.unpacked);
    if (asText(descriptor['mediaType']).endsWith('zstd') || ZSTD_MAGIC.equals(blob.bytes.subarray(0, 4))) {
      throw layoutError(blob.path, 'is a layer packed with zstd', 'Pack the layers with gzip, or not at all.');
    }
    const title = asText(asObject(descriptor['annotations'])['org.opencontainers.image.title']);
    const path = title || blob.path;
    return new Map([[path, { path, bytes: blob.bytes }]]);
  }

  private findBlob(descriptor: JsonObject): SourceFile {
    const digest = asText(descriptor['digest']);
    if (!DIGEST.test(digest))
      throw layoutError(`${this.root}index.json`, 'names a blob without a valid digest', REBUILD_REMEDY);
    const [algorithm = '', hex = ''] = digest.split(':');
    const path = `${this.root}blobs/${algorithm}/${hex}`;
    const file = this.files.get(path);
    if (!file) throw layoutError(path, 'is named in the layout but is not in it', REBUILD_REMEDY);
    if (createHash(algorithm).update(file.bytes).digest('hex') !== hex) {
      throw layoutError(path, 'does not match its digest', REBUILD_REMEDY);
    }
    return file;
  }

  private parseDocument(file: SourceFile): JsonObject {
    const [document] = parseDocuments(file, 'kubernetes', this.limits);
    if (!document?.object) throw layoutError(file.path, 'is neither an index nor a manifest', REBUILD_REMEDY);
    return document.object;
  }
}

/** A whiteout removes the entry of lower layers with its name, an opaque one all entries of its folder. */
function applyWhiteout(layer: Files, image: Map<string, SourceFile>): void {
  const hidden = new Set<string>();
  for (const path of layer.keys()) {
    const name = baseName(path);
    if (!name.startsWith(WHITEOUT_PREFIX) || name === WHITEOUT_PREFIX) continue;
    const folder = path.slice(0, -name.length);
    hidden.add(name === '.wh..wh..opq' ? folder : folder + name.slice(WHITEOUT_PREFIX.length));
  }
  if (hidden.size === 0) return;
  for (const path of image.keys()) if (isHidden(path, hidden)) image.delete(path);
}

/** Whether a path or one of its folders is hidden; fully hidden folders end with `/`, the outermost one is empty. */
function isHidden(path: string, hidden: ReadonlySet<string>): boolean {
  if (hidden.has(path) || hidden.has('')) return true;
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
    if (hidden.has(path.slice(0, end)) || hidden.has(path.slice(0, end + 1))) return true;
  }
  return false;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function filterObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function layoutError(file: string, detail: string, remedy: string): InvalidRequest {
  return new InvalidRequest(`${file} ${detail}`, { errors: [{ file, detail, remedy }], remedy });
}
