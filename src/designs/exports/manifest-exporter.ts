import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { type DesignFile } from '../../formats/design-file/design-file.js';
import { type DocumentReader } from '../../formats/documents/document-reader.js';
import type { JsonObject } from '../../core/json/json.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { decodeText } from '../../formats/documents/decode-text.js';
import { detectArchiveKind } from '../../formats/archives/archive.js';
import { DesignInput } from '../formats/design-input.js';
import { readSourcePath } from '../formats/import-design.js';
import { looksLikeResource } from '../formats/kubernetes-resource.js';
import { kubernetesFormat, findManifestFiles, toManifest } from '../formats/kubernetes-format.js';

/** Writes designs as manifests. */
export class ManifestExporter {
  constructor(private readonly reader: DocumentReader) {}

  /** The resources of a design as YAML documents. Throws InvalidRequest when it has none. */
  async fromDesign(design: DesignFile): Promise<string> {
    const { resources } = toManifest(design);
    if (resources.length > 0) return this.write(resources);
    const remedy = 'Use export=design or json.';
    throw InvalidRequest.forField('export', 'kubernetes has nothing to write: the design has no resource', remedy);
  }

  /**
   * The resources as written in the manifest that the design was made from, with its comments. A version is stored with the file
   * that it was read from, so that a single YAML file equals the design; several files in one text, and JSON as YAML, are parsed
   * again to verify.
   */
  async fromSource(readDesign: () => DesignFile, source: SourceFile): Promise<string> {
    const own = this.readYamlFile(source);
    if (own !== undefined) return own;
    const design = readDesign();
    const text = await this.joinFiles(source, readSourcePath(design)).catch((error: unknown) => {
      if (error instanceof InvalidRequest) return undefined;
      throw error;
    });
    return text !== undefined && (await this.isEquivalent(text, design)) ? text : this.fromDesign(design);
  }

  /** The text of a source that is one YAML file. */
  private readYamlFile(source: SourceFile): string | undefined {
    if (detectArchiveKind(source.bytes) !== undefined) return undefined;
    const text = decodeText(source, this.reader.limits.textBytes);
    return isJson(text) ? undefined : text;
  }

  /** Converts JSON to YAML, and joins the manifests of an archive, each after a comment with its name. */
  private async joinFiles(source: SourceFile, path: string | undefined): Promise<string> {
    const input = await DesignInput.fromFile(source, this.reader, path);
    const parts: string[] = [];
    for (const path of findManifestFiles(input)) {
      const documents = await input.documents(path);
      if (!documents.some(({ value }) => looksLikeResource(value))) continue;
      const file = input.files.get(path) ?? source;
      const text = decodeText(file, this.reader.limits.textBytes);
      const yaml = isJson(text) ? await this.write(documents.map(({ value }) => value as JsonObject)) : text;
      parts.push((input.archive ? `# ${path}\n` : '') + yaml);
    }
    return parts.map((part, at) => (at < parts.length - 1 && !part.endsWith('\n') ? `${part}\n` : part)).join('---\n');
  }

  private async isEquivalent(text: string, design: DesignFile): Promise<boolean> {
    const file = { path: 'manifest.yaml', bytes: Buffer.from(text) };
    const input = await DesignInput.fromFile(file, this.reader);
    const { design: again } = await kubernetesFormat.read(input, { limits: this.reader.limits });
    return isDeepStrictEqual(toManifest(again).resources, toManifest(design).resources);
  }

  private write(resources: readonly JsonObject[]): Promise<string> {
    return this.reader.toYaml(resources, JSON.stringify(resources).length);
  }
}

function isJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}
