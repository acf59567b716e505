import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { type DesignFile } from '../../formats/design-file/design-file.js';
import { type DocumentReader } from '../../formats/documents/document-reader.js';
import { type JsonObject } from '../../formats/documents/located-document.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { decodeText } from '../../formats/documents/decode-text.js';
import { DesignInput } from '../formats/design-input.js';
import { looksLikeResource } from '../formats/kubernetes-resource.js';
import { kubernetesFormat, findManifestFiles, toManifest } from '../formats/kubernetes-format.js';

/** Writes designs as manifests. */
export class ManifestExporter {
  constructor(private readonly reader: DocumentReader) {}

  /** The resources of a design as YAML documents. Throws InvalidRequest when it has none. */
  async fromDesign(design: DesignFile): Promise<string> {
    const { resources } = toManifest(design);
    if (resources.length > 0) return this.write(resources);
    const remedy = 'Take it as design or json.';
    throw InvalidRequest.forField('export', 'kubernetes has nothing to write: the design has no resource', remedy);
  }

  /** The same in the words of the manifest that the design was made of, with its comments, when it still says what the design says. */
  async fromSource(design: DesignFile, source: SourceFile): Promise<string> {
    const text = await this.readText(source).catch((error: unknown) => {
      if (error instanceof InvalidRequest) return undefined;
      throw error;
    });
    return text !== undefined && (await this.isEquivalent(text, design)) ? text : this.fromDesign(design);
  }

  /** A YAML file as it is; JSON as YAML; the manifests of an archive one after the other, each below its name. */
  private async readText(source: SourceFile): Promise<string> {
    const input = await DesignInput.fromFile(source, this.reader);
    const parts: string[] = [];
    for (const path of findManifestFiles(input)) {
      const documents = await input.documents(path);
      if (!documents.some(({ value }) => looksLikeResource(value))) continue;
      const file = input.files.get(path) ?? source;
      const text = decodeText(file, this.reader.limits.textBytes);
      const yaml = isJson(text) ? await this.write(documents.map(({ value }) => value as JsonObject)) : text;
      parts.push((input.archive ? `# ${path}\n` : '') + (yaml.endsWith('\n') ? yaml : `${yaml}\n`));
    }
    return parts.join('---\n');
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
